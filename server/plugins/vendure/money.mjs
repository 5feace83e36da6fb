/** Amounts of Vendure as Kassa has them, and back. Vendure has one number of decimals for all currencies, and Kassa one for each. */
import { CURRENCY_DIGITS } from 'kassa-client'

const VENDURE_DIGITS = 2

/** Returns minor units of the currency. Refuses what is not exact. `precision`: of Vendure's MoneyStrategy. */
export function toKassa(value, currency, precision = VENDURE_DIGITS) {
  return move(value, currency, digitsOf(currency) - precision)
}

export function fromKassa(minor, currency, precision = VENDURE_DIGITS) {
  return move(minor, currency, precision - digitsOf(currency))
}

function digitsOf(currency) {
  if (!Object.hasOwn(CURRENCY_DIGITS, currency)) throw new RangeError(`Kassa does not take ${currency}.`)
  return CURRENCY_DIGITS[currency]
}

function move(value, currency, places) {
  const factor = 10 ** Math.abs(places)
  const moved = places < 0 ? value / factor : value * factor
  if (!Number.isSafeInteger(value) || !Number.isSafeInteger(moved))
    throw new RangeError(`${value} ${currency} cannot be written exactly.`)
  return moved
}
