/**
 * The driver of the RBS gateways: iPay of Armenian Card (ArCa), and the same software of BPC at other banks.
 * Rule: an accepted request proves nothing. `getOrderStatusExtended.do` says what has become of an order.
 */
import { plainAddress } from '../driver/settings.ts'
import type { Driver } from '../driver.ts'
import { bindingMembers } from './bindings.ts'
import { inbound } from './callbacks.ts'
import { check } from './check.ts'
import { checkoutMembers } from './checkout.ts'
import { modeOf, RbsSettings } from './settings.ts'
import { writeMembers } from './writes.ts'

/** The reference of BPC sets no end to the memory of an `externalRefundId`. A repetition later than this is for a person. */
const REFUND_ID_MS = 24 * 3_600_000

/** A gateway waits for the bank of the card, and answers slowly under load. */
const TIMEOUTS = { question: 10_000, opening: 30_000, writing: 30_000, withdraw: 20_000 } as const

export const rbsDriver: Driver<RbsSettings> = {
  label: 'Bank cards',
  labelOf: ({ GATEWAY }) => (GATEWAY === 'arca' ? 'ArCa' : 'Bank cards'),
  mark: 'card',
  currencies: ['AMD', 'USD', 'EUR'],
  liveCapable: true,
  supportsAutoinit: true,
  settings: RbsSettings,
  identity: ['USERNAME', 'ADDRESS'],
  plainIdentity: plainAddress,
  secrets: ['PASSWORD', 'BINDING_PASSWORD', 'CALLBACK_KEY'],
  modeOf,
  addresses: ({ ADDRESS: address }) => [address],
  addressShownOnce: true,
  timeouts: TIMEOUTS,
  keyed: ({ REFUND_IDS }) =>
    REFUND_IDS === 'enabled' ? { refund: REFUND_ID_MS, finishSaving: REFUND_ID_MS } : {},
  ...checkoutMembers,
  ...writeMembers,
  ...bindingMembers,
  callbacksSetUp: ({ CALLBACK_KEY, CALLBACK_CERTIFICATE }) =>
    CALLBACK_KEY !== undefined || CALLBACK_CERTIFICATE !== undefined,
  inbound,
  check,
}
