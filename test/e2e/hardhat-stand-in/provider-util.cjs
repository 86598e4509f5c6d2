// Derives keys of configured accounts from a mnemonic; the accounts here are the node's.
exports.derivePrivateKeys = () => [];
