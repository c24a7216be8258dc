# need_packages NAME...: installs the Debian packages that are missing, or says how to when not root. Sourced.
need_packages() {
    local missing=() name
    for name in "$@"; do
        dpkg-query -W -f='${Status}\n' "$name" 2>/dev/null | grep -q '^install ok installed' || missing+=("$name")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    if [ "$(id -u)" -ne 0 ]; then
        echo "missing packages; please run: sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
        return 1
    fi
    echo "installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >/dev/null
}
