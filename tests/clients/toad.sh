#!/bin/bash
# toad.sh FOLDER PYTHON: toad, a client at a terminal, in FOLDER/glossator-toad, which is ours; `toad` there
# starts it. PYTHON is one that has pip. Does nothing if it is there; what another version left stays until
# this one is complete. toad needs Python 3.14: where the path has none, Debian's unstable release lends one,
# by debootstrap and as root. That one runs with the libraries it came with; nothing of the system is changed.
# Where neither can be, this says so, and the tests leave toad out.
set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd -P)/glossator-toad
new=$folder.new
version=0.6.20
stamp=ok-$version
[ -e "$folder/$stamp" ] && exit 0
rm -rf "$new"
mkdir "$new"
leave_out() {
	echo "toad $version is left out: $1" >&2
	rm -rf "$new"
	exit 0
}
python_in() { # the words that start Python, where FOLDER/glossator-toad is $1
	[ -z "$lent" ] && echo python3.14 && return
	echo "$1/debian/loader --library-path $1/debian/libraries $1/debian/usr/bin/python3.14"
}
lent=
if ! command -v python3.14 >/dev/null; then
	if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
		leave_out 'it needs Python 3.14. Install python3.14, or debootstrap, and run this as root.'
	fi
	lent=debian
	check=
	[ -e /usr/share/keyrings/debian-archive-keyring.gpg ] && check=--force-check-gpg
	echo 'Downloading Debian with Python 3.14, once: some 70 MB, in a minute or two …'
	debootstrap $check --variant=minbase --include=python3.14 sid "$new/debian" >"$new/log" 2>&1 ||
		leave_out "debootstrap failed: $(tail -n 5 "$new/log")"
	(cd "$new/debian" && ln -s usr/lib*/ld-linux-*.so.? loader && ln -s usr/lib/*-linux-gnu* libraries)
fi
pip=$("$2" -c 'import pip; print(*pip.__path__)')
$(python_in "$new") "$pip" install --quiet --disable-pip-version-check --no-warn-conflicts \
	--root-user-action=ignore --only-binary=:all: --target "$new/packages" "batrachian-toad==$version"
cat >"$new/toad" <<END
#!/bin/sh
exec $(python_in "$folder") -P -c 'import sys; sys.path.insert(0, "$folder/packages"); from toad.cli import main; main()' "\$@"
END
chmod +x "$new/toad"
touch "$new/$stamp"
rm -rf "$folder"
mv "$new" "$folder"
