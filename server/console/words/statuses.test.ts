/** The words of statuses: one meaning in each language, on whichever page they stand. */
import { expect, test } from 'vitest'
import { LOCALES } from '../../pages/words/locale.ts'
import { say } from './say.ts'

const PAYMENT = ['created', 'pending_redirect', 'pending_payment', 'authorized', 'paid', 'cancelled'] as const
const MOVED = ['partially_refunded', 'refunded', 'reversed', 'disputed', 'expired', 'status_unknown'] as const

test.each(LOCALES)('what became of a payment has the same word as its status in %s', (locale) => {
  for (const status of [...PAYMENT, ...MOVED])
    expect([status, say(locale, `became_${status}`)]).toEqual([status, say(locale, `status_${status}`)])
})

// The shop itself releases most holds, so no word may say that the bank has done it.
test.each(LOCALES)('money that was held and released is called so in %s, whoever released it', (locale) => {
  const released = say(locale, 'entry_released').toLowerCase()
  expect(say(locale, 'status_reversed')).toBe(released)
  expect(say(locale, 'choice_reversed').toLowerCase()).not.toMatch(/bank|банк|բանկ/)
})
