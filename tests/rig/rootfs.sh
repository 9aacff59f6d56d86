#!/usr/bin/env bash
# Builds the system of a guest with systemd and udev, as an image that a guest never writes to. Kernel and modules are not in it.
#
#	rootfs.sh OUT.erofs
#
# The packages come from where this machine has its own.
set -euo pipefail
out=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# The libraries are those our programs are linked with.
packages=systemd-sysv,udev,kmod,busybox-static,e2fsprogs,smartmontools,sg3-utils,nvme-cli
packages+=,libmicrohttpd12,libatasmart4,libsgutils2-1.46-2,libsqlite3-0,libcsv3,libsystemd0,libgnutls30,libyaml-0-2,libcrypt1,zlib1g,libjansson4

install_packages() {
	local suite sources=() file

	# shellcheck disable=SC1091
	suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
		[ ! -s "$file" ] || sources+=("$file")
	done
	mmdebstrap --quiet --variant=essential --mode=root --include="$packages" --dpkgopt=force-unsafe-io \
		--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' --aptopt='Acquire::Languages "none"' \
		"$suite" "$tree" "${sources[@]}"
}

# What a machine without a screen, a clock of its own and users can do without: each costs time under emulation.
mask_units() {
	local unit

	for unit in getty.target getty@tty1.service serial-getty@ttyS0.service systemd-pstore.service dpkg-db-backup.timer \
		e2scrub_all.timer e2scrub_reap.service fstrim.timer systemd-update-utmp.service systemd-update-utmp-runlevel.service \
		remote-fs.target systemd-logind.service dev-hugepages.mount dev-mqueue.mount modprobe@dm_mod.service \
		modprobe@drm.service modprobe@efi_pstore.service modprobe@loop.service systemd-user-sessions.service \
		systemd-random-seed.service; do
		ln -sf /dev/null "$tree/etc/systemd/system/$unit"
	done
}

add_agent() {
	cat > "$tree/etc/systemd/system/agent.service" <<-'UNIT'
	[Unit]
	Description=Runs what the test outside says
	[Service]
	ExecStartPre=/bin/busybox sh -c 'ip link set lo up; ip link set eth0 up; ip addr add 10.0.2.15/24 dev eth0'
	ExecStart=/bin/busybox nc -ll -p 9000 -e /bin/sh
	UNIT
	mkdir -p "$tree/etc/systemd/system/multi-user.target.wants"
	ln -sf ../agent.service "$tree/etc/systemd/system/multi-user.target.wants/agent.service"
}

install_packages
mask_units
add_agent
ln -sf /lib/systemd/system/multi-user.target "$tree/etc/systemd/system/default.target"
echo guest > "$tree/etc/hostname"
: > "$tree/etc/fstab"
: > "$tree/etc/machine-id"
mkfs.erofs --quiet -zlz4 "$out" "$tree"
