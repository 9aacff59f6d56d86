#!/usr/bin/env bash
# Fetches Debian's kernel for the guests and unpacks it; nothing is installed here.
#
#	kernel.sh FOLDER
#
# Leaves FOLDER/vmlinux, FOLDER/release, and FOLDER/root/lib/modules/RELEASE with modules.dep. vmlinux is the package's
# kernel decompressed: QEMU starts it through its PVH note, which saves an emulated machine the decompression.
set -euo pipefail
export LC_ALL=C		# grep and tail below look at bytes
out=$1

# The metapackage depends on one exact kernel. No pattern here: apt-get download would take all that match.
find_package() {
	apt-cache depends --no-recommends --no-suggests linux-image-amd64 2>/dev/null |
		awk '/Depends: linux-image-/ { print $2; exit }'
}

package=$(find_package)
[ -n "$package" ] || { apt-get -q update; package=$(find_package); }
[ -n "$package" ] || { echo "apt knows no linux-image-amd64" >&2; exit 1; }

rm -rf "$out"
mkdir -p "$out/root"
(cd "$out" && apt-get download -q "$package")
dpkg-deb -x "$out/$package"_*.deb "$out/root"
rm "$out/$package"_*.deb
release=$(ls "$out/root/lib/modules")
depmod -b "$out/root" "$release"

begin=$(grep -abo -P '\xFD7zXZ\x00' "$out/root/boot/vmlinuz-$release" | tr -d '\000' | sed -n '1s/:.*//p')
[ -n "$begin" ] || { echo "vmlinuz-$release is not packed with xz" >&2; exit 1; }
# xz complains about the bytes behind the stream; the kernel before them is whole.
tail -c +$((begin + 1)) "$out/root/boot/vmlinuz-$release" | xz -dc > "$out/vmlinux" 2>/dev/null || true
[ "$(head -c 4 "$out/vmlinux" | tail -c 3)" = ELF ] || { echo "no kernel in vmlinuz-$release" >&2; exit 1; }
echo "$release" > "$out/release"
