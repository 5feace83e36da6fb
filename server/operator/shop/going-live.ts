/** The steps of a shop towards real money: which are done, and who has to do the others. */
import type { Context, Worlds } from '../../context.ts'
import { getBranding } from '../../merchants/branding.ts'
import { listInstallations } from '../../merchants/installation.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { getOnboarding, type StepName } from '../../merchants/onboarding.ts'
import { ORDER_BOOK_URL } from '../../merchants/order-book-address.ts'
import { sellsAnything } from '../../storage/merchants/products.ts'
import { findOrderBook } from '../../storage/orders/books.ts'
import { mainWorld } from '../../worlds.ts'
import { findAccountStep } from '../onboarding-account.ts'
import { type EndedAsk, listEndedAsks, listWaiting } from './bank-account.ts'
import { listAddressesOf } from './reviews.ts'

export type LiveStepName = 'product' | 'contact' | 'address' | 'news' | 'told' | 'test' | 'account' | 'copy'
/** `who`: who has to do the step while it is open. `program`: the developer of the shop's program. */
export type LiveStep = {
  step: LiveStepName
  done: boolean
  who: 'shop' | 'operator' | 'program'
  /** The shop's last request for this step, if it was refused or has expired. */
  ended?: EndedAsk | undefined
}
/**
 * `news`: what receives the events of live payments, or of the sandbox in a deployment without a live world. `isServed`: there is a
 * live world.
 */
export type GoingLive = { steps: LiveStep[]; news: 'none' | 'order_book' | 'program'; isServed: boolean }

/** @throws AppError not_found */
export async function getGoingLive(worlds: Worlds, merchantId: string): Promise<GoingLive> {
  const main = mainWorld(worlds)
  const [{ callbackUrl }, { branding }, { steps }, isSelling, addresses, book] = await Promise.all([
    getMerchant(main, merchantId),
    getBranding(main, merchantId),
    getOnboarding(main, merchantId),
    sellsAnything(worlds.sandbox.db, merchantId),
    listAddressesOf(main, merchantId),
    findOrderBook(main.db, merchantId),
  ])
  const isDone = (name: StepName) => steps.some(({ step, done }) => step === name && done)
  const news = callbackUrl === null ? 'none' : callbackUrl === ORDER_BOOK_URL ? 'order_book' : 'program'
  const isWaiting = addresses.some(({ state }) => state === 'waiting')
  return {
    news,
    isServed: worlds.live !== undefined,
    steps: [
      { step: 'product', done: isSelling, who: 'shop' },
      { step: 'contact', done: Boolean(branding.email || branding.phone), who: 'shop' },
      { step: 'test', done: isDone('test_payment'), who: 'shop' },
      // Only the live world stores that the callback was verified.
      {
        step: 'news',
        done: worlds.live ? isDone('callback_verified') : news !== 'none',
        who: news === 'program' ? 'program' : 'shop',
      },
      // By default nobody gets mails about orders. The step is done when a person has chosen an address, or no mails.
      ...(news === 'order_book' ? [{ step: 'told', done: book !== null, who: 'shop' } as const] : []),
      { step: 'address', done: isDone('domain_reviewed'), who: isWaiting ? 'operator' : 'shop' },
      ...(await liveSteps(worlds, merchantId)),
    ],
  }
}

async function liveSteps(worlds: Worlds, merchantId: string): Promise<LiveStep[]> {
  if (!worlds.live) return []
  const [account, isCopied, waiting, [ended]] = await Promise.all([
    findAccountStep(worlds, merchantId),
    sellsIn(worlds.live, merchantId),
    listWaiting(worlds.live, merchantId),
    listEndedAsks(worlds.live, merchantId),
  ])
  return [
    { step: 'account', done: account?.done ?? false, who: waiting.length > 0 ? 'operator' : 'shop', ended },
    { step: 'copy', done: isCopied, who: 'operator' },
  ]
}

async function sellsIn(live: Context, merchantId: string): Promise<boolean> {
  const [isSelling, installations] = await Promise.all([
    sellsAnything(live.db, merchantId),
    listInstallations(live, merchantId),
  ])
  return isSelling && installations.some(({ revokedAt }) => !revokedAt)
}
