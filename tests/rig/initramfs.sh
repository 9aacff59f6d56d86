#!/usr/bin/env bash
# Builds the first file system of a guest: busybox, modules with what they need, programs with their libraries, and files.
#
#	initramfs.sh KERNEL OUT.cpio INIT [-m "MODULE..."] [-p "PROGRAM..."] [-f FROM:TO]...
#
# KERNEL is the folder of kernel.sh. INIT becomes /init. FROM may be a folder.
set -euo pipefail
kernel=$1 out=$2 init=$3
shift 3
release=$(cat "$kernel/release")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

add_libraries() {
	{ ldd "$1" 2>/dev/null || true; } | sed -n 's|^[^/]*\(/[^ ]*\) (.*|\1|p' | while read -r library; do
		[ -e "$root$library" ] || install -D "$library" "$root$library"
	done
}

add_modules() {
	local from=$kernel/root/lib/modules/$release to=$root/lib/modules/$release name file

	mkdir -p "$to"
	for name; do
		modprobe -d "$kernel/root" -S "$release" --show-depends "$name" | awk '$1 == "insmod" { print $2 }'
	done | sort -u | while read -r file; do
		install -D "$file" "$to/${file#"$from"/}"
	done
	cp "$from"/modules.{order,builtin,builtin.modinfo} "$to/"
	depmod -b "$root" "$release"
}

add_programs() {
	local name path

	for name; do
		path=$(PATH=$PATH:/usr/sbin:/sbin command -v "$name") || { echo "no program $name here" >&2; exit 1; }
		install -D "$path" "$root$path"
		add_libraries "$path"
	done
}

add_file() {
	local file

	mkdir -p "$(dirname "$root/$2")"
	cp -rLT "$1" "$root/$2"
	find "$root/$2" -type f -perm /111 | while read -r file; do
		add_libraries "$file"
	done
}

mkdir -p "$root"/{bin,sbin,dev,proc,sys,run,tmp,etc,lib,usr/bin,usr/sbin}
ln -s lib "$root/lib64"
install "$init" "$root/init"
install "$(command -v busybox)" "$root/bin/busybox"
while getopts m:p:f: option; do
	# shellcheck disable=SC2086
	case $option in
	m) add_modules $OPTARG ;;
	p) add_programs $OPTARG ;;
	f) add_file "${OPTARG%%:*}" "${OPTARG#*:}" ;;
	*) exit 2 ;;
	esac
done
# Not packed: an emulated machine unpacks slowly.
(cd "$root" && find . | cpio -o -H newc --quiet) > "$out"
