/**
 * The driver of Ameriabank's vPOS 3.1.
 * Rule: neither an accepted request nor the buyer's return proves anything. `GetPaymentDetails` says what has become of a payment.
 */
import { plainAddress } from '../driver/settings.ts'
import type { Driver } from '../driver.ts'
import { bindingMembers } from './bindings.ts'
import { check } from './check.ts'
import { checkoutMembers } from './checkout.ts'
import { AmeriaSettings, modeOf, numbersOf } from './settings.ts'
import { writeMembers } from './writes.ts'

/** The bank waits for the bank of the card, and a write that is cut off cannot be sent again. */
const TIMEOUTS = { question: 10_000, opening: 30_000, writing: 30_000 } as const

export const ameriaDriver: Driver<AmeriaSettings> = {
  label: 'Ameriabank',
  mark: 'card',
  currencies: ['AMD', 'USD', 'EUR'],
  liveCapable: true,
  supportsAutoinit: true,
  settings: AmeriaSettings,
  identity: ['CLIENT_ID', 'ADDRESS'],
  plainIdentity: (value) => plainAddress(value).toLowerCase(),
  secrets: ['USERNAME', 'PASSWORD'],
  modeOf,
  addresses: ({ ADDRESS: address }) => [address],
  orderNumbers: numbersOf,
  timeouts: TIMEOUTS,
  ...checkoutMembers,
  ...writeMembers,
  ...bindingMembers,
  check,
}
