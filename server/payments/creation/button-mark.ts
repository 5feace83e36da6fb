/**
 * The mark in the address to which a button leads, where the installation lets buyers skip our page. It is made for one payment and
 * for the origin of the page with the button, so a copied or forwarded address leads to our page like any other.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Payment } from '../../storage/payments/payment.ts'

export const BUTTON_MARK = 'button'
const PURPOSE = 'button-mark'
/** After this time the buyer has probably forgotten what the button said. */
const LASTS_MS = 30 * 60_000

type Sold = Pick<Payment, 'id' | 'createdAt'>

/** The same for each click, so that a repeated request gets the same address. */
export function buttonMark(ctx: Context, { id }: Pick<Sold, 'id'>, origin: string): string {
  const content = JSON.stringify([id, origin])
  return createHmac('sha256', ctx.vault.derive(PURPOSE)).update(content).digest('base64url')
}

/** `from`: the address of the page that has led the browser here, as the browser states it. */
export function isFromButton(ctx: Context, sold: Sold, mark: string, from: string | undefined): boolean {
  if (!from || !URL.canParse(from)) return false
  if (ctx.clock.now().getTime() >= sold.createdAt.getTime() + LASTS_MS) return false
  const [given, expected] = [Buffer.from(mark), Buffer.from(buttonMark(ctx, sold, new URL(from).origin))]
  return given.length === expected.length && timingSafeEqual(given, expected)
}
