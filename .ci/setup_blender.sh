#!/bin/sh
# setup_blender.sh FOLDER: a real Blender, Debian trixie's 4.3.2 on Python 3.13, in a folder of its own. Needs Linux, root
# and debootstrap or apt-get. Prints the program to run, which sees this checkout and /tmp under their own names. The
# program FOLDER/enter runs any command there, such as Xvfb.
set -eu
checkout=$(cd "$(dirname "$0")/.." && pwd)
system=$1
enter=$system/enter
program=$system/run_blender
if [ ! -x "$program" ] || [ ! -x "$enter" ]; then
    if ! command -v debootstrap > /dev/null; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends debootstrap
    fi
    rm -rf "$system"
    mkdir -p "$system"
    debootstrap --variant=minbase trixie "$system" > "$system.log"
    # Here and below, what is mounted in a namespace of its own is gone when the command ends, whatever happens.
    unshare --mount sh -eu -c '
        mount -t proc proc "$1/proc"
        mount --rbind /dev "$1/dev"
        DEBIAN_FRONTEND=noninteractive chroot "$1" apt-get install -y --no-install-recommends \
            blender python3-numpy xvfb xdotool imagemagick libgl1-mesa-dri' sh "$system" >> "$system.log"
    mkdir -p "$system$checkout"
    cat > "$enter" <<END
#!/bin/sh
exec unshare --mount sh -eu -c '
    mount -t proc proc "$system/proc"
    mount --rbind /dev "$system/dev"
    mount --bind /tmp "$system/tmp"
    mount --bind "$checkout" "$system$checkout"
    exec chroot "$system" "\$@"' enter "\$@"
END
    printf '#!/bin/sh\nexec "%s" blender "$@"\n' "$enter" > "$program"
    chmod +x "$enter" "$program"
fi >&2
echo "$program"
