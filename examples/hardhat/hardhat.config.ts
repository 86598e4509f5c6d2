import hardhatNetworkHelpers from "@nomicfoundation/hardhat-network-helpers";
import hardhatNodeTestRunner from "@nomicfoundation/hardhat-node-test-runner";
import hardhatViem from "@nomicfoundation/hardhat-viem";
import { defineConfig } from "hardhat/config";

export default defineConfig({
  plugins: [hardhatNodeTestRunner, hardhatViem, hardhatNetworkHelpers],
  // solc as a package, so that nothing is downloaded
  solidity: { version: "0.8.37", path: `${import.meta.dirname}/node_modules/solc/soljson.js` },
  networks: {
    kairn: {
      type: "http",
      chainType: "l1",
      url: process.env.KAIRN_URL ?? "http://127.0.0.1:8551",
    },
  },
});
