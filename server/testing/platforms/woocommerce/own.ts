/** What the scenarios of WooCommerce alone stand on. */
import { expect } from 'vitest'
import type { Checkout, Sum } from '../platform.ts'
import type { Scene } from '../scene.ts'
import type { WooCommerceShop } from './woocommerce.ts'

export const TEA: Sum = { amountMinor: 1_900, currency: 'USD' }
export const PATIENCE = { timeout: 90_000, interval: 500 }
/** Longer than the bank of the sandbox takes for a refund that fails, or a dispute. */
export const BANK_MS = 25_000

type Begun = { order: string; checkout: Checkout; id: number }
export type Own = {
  scene: Scene
  shop: WooCommerceShop
  /** `fault`: what goes wrong at the bank. */
  begin(fault?: string): Promise<Begun>
  buy(fault?: string): Promise<Begun>
  statusOf(id: number): Promise<string>
  notesOf(order: string): Promise<string>
  /** How many mails with this text the staff has got in this scenario. */
  mailsWith(text: string): number
  /** The next scenario begins. */
  forgetMails(): void
}

export type OwnScenario = { name: string; run(own: Own): Promise<void> }

export function ownOf(scene: Scene, shop: WooCommerceShop): Own {
  const statusOf = async (id: number) => (await shop.staff.order(id)).status
  async function begin(fault = ''): Promise<Begun> {
    await shop.act({ do: 'fault', fault })
    const order = await shop.createOrder(TEA)
    const checkout = await shop.checkOut(order)
    return { order, checkout, id: shop.orderOf(order) }
  }
  const mailsToStaff = () => shop.mails().filter(({ to }) => to === 'staff@shop.example')
  let earlier = 0
  return {
    scene,
    shop,
    begin,
    statusOf,
    async buy(fault = '') {
      const begun = await begin(fault)
      await scene.choose(begun.checkout, 'paid')
      await expect.poll(() => statusOf(begun.id), PATIENCE).toBe('processing')
      return begun
    },
    notesOf: async (order) => (await shop.view(order)).notes.join('\n'),
    mailsWith: (text) =>
      mailsToStaff()
        .slice(earlier)
        .filter(({ message }) => message.includes(text)).length,
    forgetMails() {
      earlier = mailsToStaff().length
    },
  }
}
