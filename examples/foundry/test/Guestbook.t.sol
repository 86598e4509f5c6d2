// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Guestbook} from "../src/Guestbook.sol";

interface Vm {
    function prank(address caller) external;
    function expectRevert(bytes calldata data) external;
    function envAddress(string calldata name) external view returns (address);
}

/// Runs on a fork of kairn: `forge test --fork-url http://127.0.0.1:8551`.
contract GuestbookTest {
    Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    address constant GUEST = address(0xA11CE);

    /// The contract deployed by `forge create` and signed by `cast send`.
    function testForkHasWhatIsOnTheChain() public view {
        Guestbook book = Guestbook(vm.envAddress("BOOK"));
        require(block.chainid == 1337, "another chain");
        require(book.guests() == 1, "cast has not signed");
    }

    function testSignOnTheFork() public {
        Guestbook book = Guestbook(vm.envAddress("BOOK"));
        vm.prank(GUEST);
        book.sign("hello from forge");
        require(book.guests() == 2, "not counted");
        require(keccak256(bytes(book.lineOf(GUEST))) == keccak256("hello from forge"), "not kept");
    }

    function testEmptyLineReverts() public {
        Guestbook book = new Guestbook();
        vm.expectRevert(abi.encodeWithSelector(Guestbook.EmptyLine.selector, GUEST));
        vm.prank(GUEST);
        book.sign("");
    }
}
