// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A guestbook in which everybody may leave one entry.
contract Guestbook {
    mapping(address guest => string line) public lineOf;
    uint256 public guests;

    event Signed(address indexed guest, string line);

    error EmptyLine(address guest);

    function sign(string calldata line) external {
        if (bytes(line).length == 0) revert EmptyLine(msg.sender);
        if (bytes(lineOf[msg.sender]).length == 0) guests++;
        lineOf[msg.sender] = line;
        emit Signed(msg.sender, line);
    }
}
