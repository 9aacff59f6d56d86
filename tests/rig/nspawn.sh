#!/usr/bin/env bash
# Boots systemd as process 1 on this kernel, without a virtual machine and without another root file system: this machine's own
# root is the lower layer of an overlay, so nothing that happens inside changes it.
#
#	nspawn.sh FOLDER SECONDS [ARGUMENT OF systemd-nspawn]...
#
# FOLDER/prepare ROOT, if it is there, may put files into the overlay before it boots. FOLDER/job then runs inside, where FOLDER
# is /share, as soon as basic.target and the bus are there; its output goes to this script's, its exit status is this script's.
# None of this machine's enabled services starts. The network is a loopback of its own. Not enforced in there: DevicePolicy= and
# DeviceAllow=; and there is no udevd.
set -euo pipefail

folder=$(realpath "$1") seconds=$2
shift 2

# A mount name space of its own: the overlay goes away with it, however this ends.
if [ -z "${NSPAWN_SH_INSIDE:-}" ]; then
	NSPAWN_SH_INSIDE=1 exec unshare --mount --propagation private "$0" "$folder" "$seconds" "$@"
fi

top=$(mktemp -d /run/nspawn.XXXXXX)
root=$top/root
machine=${top##*.}

# nspawn leaves its (empty) control groups behind where it has no unit of its own.
remove_groups() {
	local group

	for group in /sys/fs/cgroup{,/*}/{payload,supervisor}; do
		[ ! -d "$group" ] || find "$group" -depth -type d -exec rmdir {} + 2> /dev/null || true
	done
}

clean_up() {
	umount -l "$root" "$top/lower" "$top" 2> /dev/null || true
	rmdir "$top" 2> /dev/null || true
	remove_groups
}
trap clean_up EXIT

mount -t tmpfs nspawn "$top"
mkdir "$top"/{lower,upper,work,root}
mount --bind / "$top/lower"		# without what is mounted below it
mount -t overlay -o "lowerdir=$top/lower,upperdir=$top/upper,workdir=$top/work" nspawn "$root"
rm -rf "$root/dev"
mkdir -p "$root/dev" "$root/share"
: > "$root/etc/machine-id"
cat > "$root/etc/systemd/system/nspawn-job.service" <<'UNIT'
[Unit]
Description=The job
Requires=basic.target dbus.socket
After=basic.target dbus.socket
SuccessAction=exit-force
FailureAction=exit-force

[Service]
Type=exec
WorkingDirectory=/share
ExecStart=/bin/sh -c './job > output 2>&1; echo $? > status'
UNIT
[ ! -x "$folder/prepare" ] || "$folder/prepare" "$root"

rm -f "$folder/status" "$folder/output"
timeout -k 5 "$seconds" systemd-nspawn -q --register=no --keep-unit --private-network --machine="$machine" -D "$root" -b \
	--bind="$folder:/share" "$@" systemd.unit=nspawn-job.service < /dev/null > "$folder/console" 2>&1 || true
cat "$folder/output" 2> /dev/null || true
if [ ! -f "$folder/status" ]; then
	echo "nspawn.sh: the job left no status within $seconds s; the console's last lines:" >&2
	tail -n 20 "$folder/console" >&2
	exit 98
fi
exit "$(cat "$folder/status")"
