// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

interface IVault {
    function take(uint256 amount) external;
}

library Checks {
    function atLeast(uint256 have, uint256 want) internal pure {
        require(have >= want, "too little");
    }
}

// A word in braces { contract Nothing { } in a comment, and '"' in one
contract Vault is IVault {
    string private note = "a } brace and a \" quote";
    address public immutable owner;
    uint256 public held;

    error NotOwner(address who, address owner);
    event Taken(address indexed who, uint256 amount, string note);

    constructor(uint256 first) {
        require(first > 0, "nothing to begin with");
        owner = msg.sender;
        held = first;
    }

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner(msg.sender, owner);
        _;
    }

    function take(uint256 amount) public onlyOwner {
        held = _less(amount);
        emit Taken(msg.sender, amount, note);
    }

    function check(uint256 amount) public view returns (uint256) {
        Checks.atLeast(held, amount);
        return held;
    }

    function _less(uint256 amount) internal view returns (uint256) {
        return held - amount;
    }
}

contract Till {
    Vault public vault;
    uint256 public caught;

    constructor(Vault at) {
        vault = at;
    }

    function ask(uint256 amount) external view returns (uint256) {
        return _ask(amount);
    }

    function _ask(uint256 amount) internal view returns (uint256) {
        return vault.check(amount);
    }

    function steal(uint256 amount) external {
        vault.take(amount);
    }

    function tryIt(uint256 amount) external {
        try vault.take(amount) {
            caught = 0;
        } catch {
            caught += 1;
        }
        require(amount == 0, "gave up");
    }
}
