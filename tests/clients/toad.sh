#!/bin/bash
# toad.sh FOLDER PYTHON: toad, a client at a terminal, in FOLDER/glossator-toad, which is ours; `toad` there
# starts it. PYTHON is one that has pip. Does nothing if it is there. toad needs Python 3.14: where the path
# has none, Debian's unstable release lends one, by debootstrap and as root. That one runs with the libraries
# it came with; nothing of the system is changed. Where neither can be, this says so, and the tests leave
# toad out.
set -euo pipefail
folder=$(realpath -m "$1")/glossator-toad
version=0.6.20
stamp=$folder/ok-$version
[ -e "$stamp" ] && exit 0
if command -v python3.14 >/dev/null; then
	python=python3.14
elif [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null; then
	debian=$folder/debian
	python="$debian/loader --library-path $debian/libraries $debian/usr/bin/python3.14"
else
	echo 'toad is left out: it needs Python 3.14. Install python3.14, or debootstrap, and run this as root.' >&2
	exit 0
fi
rm -rf "$folder"
mkdir -p "$folder"
if [ -n "${debian-}" ]; then
	echo 'Downloading Debian with Python 3.14, once: some 70 MB, in a minute or two …'
	debootstrap --variant=minbase --include=python3.14 sid "$debian" >"$folder/debootstrap.log"
	ln -s "$debian"/usr/lib*/ld-linux-*.so.? "$debian/loader"
	ln -s "$debian"/usr/lib/*-linux-gnu* "$debian/libraries"
fi
pip=$("$2" -c 'import pip; print(*pip.__path__)')
$python "$pip" install --quiet --disable-pip-version-check --no-warn-conflicts --root-user-action=ignore \
	--only-binary=:all: --target "$folder/packages" "batrachian-toad==$version"
cat >"$folder/toad" <<END
#!/bin/sh
exec $python -P -c 'import sys; sys.path.insert(0, "$folder/packages"); from toad.cli import main; main()' "\$@"
END
chmod +x "$folder/toad"
touch "$stamp"
