/** What the shop platforms' own sources say about the statuses that we name. */
import { expect, test } from 'vitest'
import { PLATFORMS } from '../contract/capability.ts'
import { presentStatusMap } from './status-map.ts'

const { platforms } = presentStatusMap()

/** With these the platform cancels the order, or puts its goods back into the stock. */
const CANCELS: Record<string, readonly string[]> = {
  woocommerce: ['cancelled', 'failed', 'pending'],
  shopify: ['voided'],
  opencart: ['7', '8', '14', '16'],
  prestashop: ['PS_OS_CANCELED', 'PS_OS_ERROR'],
  magento: ['canceled'],
  tilda: ['canceled'],
  medusa: ['canceled', 'error'],
  vendure: ['Cancelled'],
  evershop: ['canceled'],
}

test.each(PLATFORMS)(
  'an undecided or disputed payment never cancels the order of %s, and never releases it',
  (name) => {
    const map = platforms[name]
    for (const status of [map.status_unknown, map.disputed]) {
      expect(CANCELS[name]).not.toContain(status)
      expect(status).not.toBe(map.paid)
    }
  },
)

/** In these the platform itself lets the buyer pay the order, or asks for the money. */
const PAYABLE: Record<string, readonly string[]> = {
  woocommerce: ['pending', 'failed'],
  vendure: ['AddingItems', 'ArrangingPayment', 'ArrangingAdditionalPayment'],
  prestashop: ['PS_OS_BANKWIRE', 'PS_OS_CHEQUE', 'PS_OS_ERROR'],
  medusa: ['pending', 'error', 'canceled'],
  evershop: ['pending', 'kassa_failed'],
}

test.each(Object.keys(PAYABLE) as (keyof typeof platforms)[])(
  'no order of %s can be paid once more while its money may be there',
  (name) => {
    const { authorized, paid, status_unknown, disputed } = platforms[name]
    for (const status of [authorized, paid, status_unknown, disputed])
      expect(PAYABLE[name]).not.toContain(status)
  },
)

test.each(['woocommerce', 'prestashop', 'magento', 'vendure', 'evershop'] as const)(
  'a lost dispute does not put the goods back into the stock of %s',
  (name) => expect(CANCELS[name]).not.toContain(platforms[name].reversed),
)

test('an authorized order of Magento can be invoiced, so that the shop can capture', () => {
  // Magento's order validator refuses an invoice in these states.
  const refused = ['payment_review', 'holded', 'canceled', 'complete', 'closed']
  expect(refused).not.toContain(platforms.magento.authorized)
})

test('no state of PrestaShop that a payment waits in sends a mail', () => {
  const { created, pending_redirect, pending_payment, authorized, status_unknown, disputed } =
    platforms.prestashop
  for (const state of [created, pending_redirect, pending_payment, authorized, status_unknown, disputed])
    expect(state).toMatch(/^KASSA_OS_/)
})

test('statuses of OpenCart are ids, because shops translate their names', () => {
  for (const status of Object.values(platforms.opencart)) expect(status).toMatch(/^(1|2|7|10|11|12|14)$/)
})
