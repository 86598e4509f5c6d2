// The runtime environment as far as helpers and signers look at it; `network.provider` is set by the test. The accounts are
// those of the node, which is Hardhat's own default.
exports.network = { name: "kairn", config: { accounts: "remote" }, provider: undefined };
