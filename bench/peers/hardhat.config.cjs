// Hardhat's network as measured: a block every second, the same limits as the other nodes, no output.
module.exports = {
  networks: {
    hardhat: {
      accounts: { accountsBalance: `1${"0".repeat(27)}` },
      allowUnlimitedContractSize: true,
      blockGasLimit: 2_000_000_000,
      hardfork: "prague", // later ones bound the gas of a call
      loggingEnabled: false,
      mining: { auto: false, interval: 1000 },
    },
  },
};
