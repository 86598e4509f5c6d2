// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
// A constant-product pair with packed reserves, a lock, price accumulators and a fee of 0.3 %, as of Uniswap V2, and a trader behind it.
interface Token {
    function transfer(address to, uint256 value) external returns (bool);
    function balanceOf(address owner) external view returns (uint256);
}
contract Pair {
    event Swap(address indexed sender, uint256 in0, uint256 in1, uint256 out0, uint256 out1, address indexed to);
    event Sync(uint112 reserve0, uint112 reserve1);
    address public token0; address public token1;
    uint112 reserve0; uint112 reserve1; uint32 updatedAt;
    uint256 public cumulative0; uint256 public cumulative1;
    uint256 unlocked = 1;
    modifier lock() { require(unlocked == 1, "LOCKED"); unlocked = 0; _; unlocked = 1; }
    constructor(address a, address b) { token0 = a; token1 = b; }
    function getReserves() public view returns (uint112, uint112, uint32) { return (reserve0, reserve1, updatedAt); }
    function sync() external lock { update(Token(token0).balanceOf(address(this)), Token(token1).balanceOf(address(this)), reserve0, reserve1); }
    function update(uint256 balance0, uint256 balance1, uint112 old0, uint112 old1) private {
        require(balance0 <= type(uint112).max && balance1 <= type(uint112).max, "OVERFLOW");
        unchecked {
            uint32 elapsed = uint32(block.timestamp) - updatedAt;
            if (elapsed > 0 && old0 != 0 && old1 != 0) {
                cumulative0 += (uint256(old1) << 112) / old0 * elapsed;
                cumulative1 += (uint256(old0) << 112) / old1 * elapsed;
            }
        }
        (reserve0, reserve1, updatedAt) = (uint112(balance0), uint112(balance1), uint32(block.timestamp));
        emit Sync(reserve0, reserve1);
    }
    function swap(uint256 out0, uint256 out1, address to) external lock {
        require(out0 > 0 || out1 > 0, "OUTPUT");
        (uint112 old0, uint112 old1, ) = getReserves();
        require(out0 < old0 && out1 < old1, "LIQUIDITY");
        if (out0 > 0) Token(token0).transfer(to, out0);
        if (out1 > 0) Token(token1).transfer(to, out1);
        uint256 balance0 = Token(token0).balanceOf(address(this));
        uint256 balance1 = Token(token1).balanceOf(address(this));
        uint256 in0 = balance0 > old0 - out0 ? balance0 - (old0 - out0) : 0;
        uint256 in1 = balance1 > old1 - out1 ? balance1 - (old1 - out1) : 0;
        require(in0 > 0 || in1 > 0, "INPUT");
        require((balance0 * 1000 - in0 * 3) * (balance1 * 1000 - in1 * 3) >= uint256(old0) * old1 * 1000000, "K");
        update(balance0, balance1, old0, old1);
        emit Swap(msg.sender, in0, in1, out0, out1, to);
    }
}
contract Trader {
    Pair immutable pair; Token immutable token0;
    constructor(Pair p) { pair = p; token0 = Token(p.token0()); }
    /// Swaps `value` of the first token for the second.
    function trade(uint256 value) external returns (uint256 out) {
        (uint112 reserve0, uint112 reserve1, ) = pair.getReserves();
        uint256 paid = value * 997;
        out = paid * reserve1 / (uint256(reserve0) * 1000 + paid);
        token0.transfer(address(pair), value);
        pair.swap(0, out, address(this));
    }
}
