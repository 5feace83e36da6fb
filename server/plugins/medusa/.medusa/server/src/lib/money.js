/** Medusa has decimals in major units, and Kassa minor units with its own digits. Medusa thinks that AMD has no decimals. */
const { BigNumber, MathBN } = require('@medusajs/framework/utils')
const { toMajor, toMinor } = require('kassa-client')

/** Returns minor units. `amount`: a number, a text or a BigNumber of Medusa. Refuses what is not exact. */
exports.minorOf = (amount, currency) => {
  const exact = MathBN.convert(new BigNumber(amount).raw?.value ?? amount)
  return toMinor(exact.toFixed(), currency.toUpperCase())
}

exports.majorOf = (minor, currency) => Number(toMajor(minor, currency.toUpperCase()))

/** For people. A sum below zero is written too. */
exports.textOf = (minor, currency) => {
  const sign = minor < 0 ? '-' : ''
  return `${sign}${toMajor(Math.abs(minor), currency.toUpperCase())} ${currency.toUpperCase()}`
}
