/** The words of statuses: one meaning in each language, on whichever page they stand. */
import { expect, test } from 'vitest'
import { OPERATION_STATUSES } from '../../contract/operation.ts'
import { PAYMENT_STATUSES } from '../../contract/payment.ts'
import { LOCALES } from '../../pages/words/locale.ts'
import { RECEIPT_STATUSES } from '../../payments/decisions/receipt.ts'
import { becameText } from '../desk/case.ts'
import { translate } from './translate.ts'

test.each(LOCALES)(
  'what became of a case has the word of its own list in %s, whatever it became',
  (locale) => {
    for (const to of PAYMENT_STATUSES)
      expect([to, becameText(locale, 'undecided', to)]).toEqual([to, translate(locale, `status_${to}`)])
    const words = [
      ...OPERATION_STATUSES.map((to) => [to, becameText(locale, 'operation', to)]),
      ...RECEIPT_STATUSES.map((to) => [to, becameText(locale, 'receipt', to)]),
      ['settled', becameText(locale, 'warning', 'settled')],
      ['closed', becameText(locale, 'difference', 'closed')],
    ]
    expect(words.filter(([, word]) => !word)).toEqual([])
  },
)

test.each(LOCALES)('what failed has one word in %s, in lists and beside a payment', (locale) => {
  expect(translate(locale, 'listed_failed')).toBe(translate(locale, 'act_failed'))
})

// The shop itself releases most holds, so no word may say that the bank has done it.
test.each(LOCALES)('money that was held and released is called so in %s, whoever released it', (locale) => {
  const released = translate(locale, 'entry_released').toLowerCase()
  expect(translate(locale, 'status_reversed')).toBe(released)
  expect(translate(locale, 'choice_reversed').toLowerCase()).not.toMatch(/bank|банк|բանկ/)
})
