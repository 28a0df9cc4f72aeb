#!/usr/bin/env bash
# Puts a real Blender (Debian trixie's) into a folder of its own: setup_blender.sh FOLDER. Needs root, Debian and debootstrap.
set -euo pipefail
folder=$1
[ -x "$folder/usr/bin/blender" ] || {
    command -v debootstrap >/dev/null || { apt-get update -qq; apt-get install -y -qq debootstrap; }
    rm -rf "$folder"
    mkdir -p "$(dirname "$folder")"
    debootstrap --variant=minbase trixie "$folder" >/dev/null
    chroot "$folder" apt-get update -qq
    chroot "$folder" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        blender python3-numpy xvfb xdotool imagemagick libgl1-mesa-dri >/dev/null
}
