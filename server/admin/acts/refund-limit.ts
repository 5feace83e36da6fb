/** Limits of refunds on the command line: an amount with its currency, once for each currency. */
import { CURRENCY_CODES, type CurrencyCode } from '../../contract/fields.ts'
import { AppError } from '../../errors.ts'
import { parseTypedAmount } from '../../payments/money.ts'
import type { RefundLimits } from '../../storage/access/users.ts'
import { type Flag, repeatable } from '../flag.ts'

const NONE = 'none'

/** `100.00 USD`, once for each currency, or `none` for no limit. Undefined if it is not given. */
export function refundLimit(help: string): Flag<RefundLimits | null | undefined> {
  return {
    ...repeatable('A', `${help}, such as "100.00 USD"`),
    read(texts) {
      if (texts.length === 0) return undefined
      return texts.includes(NONE) ? null : Object.fromEntries(texts.map(readLimit))
    },
  }
}

function readLimit(text: string): [CurrencyCode, number] {
  const [, amount = '', code = ''] = /^(.*\S) ?([A-Za-z]{3})$/.exec(text.trim()) ?? []
  const currency = CURRENCY_CODES.find((each) => each === code.toUpperCase())
  if (currency) return [currency, parseTypedAmount(amount, currency)]
  throw new AppError('validation_failed', {
    message: `must be an amount such as "100.00 USD", not "${text}".`,
  })
}
