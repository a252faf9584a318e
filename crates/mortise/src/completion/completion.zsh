#compdef mortise
_mortise() {
    local candidate found=1
    local -a closed open
    for candidate in "${(@f)$(
        _CLAP_IFS=$'\n' _CLAP_COMPLETE_INDEX=$((CURRENT - 1)) COMPLETE=zsh mortise -- "${words[@]}" 2>/dev/null
    )}"; do
        [[ -n $candidate ]] || continue
        # A value follows `city=` and `folder/` without a space.
        if [[ ${candidate%%:*} == *[=/] ]]; then open+=("$candidate"); else closed+=("$candidate"); fi
    done
    (( $#open )) && _describe -V 'values' open -S '' && found=0
    (( $#closed )) && _describe -V 'values' closed && found=0
    return found
}
if [[ $funcstack[1] == _mortise ]]; then
    # A file of this name in fpath: zsh runs it at the first completion.
    _mortise "$@"
else
    # A zsh without any configuration has not loaded its completions.
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }
    compdef _mortise mortise
fi
