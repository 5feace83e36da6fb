/**
 * What causes each kind of mail: acts of a shop, of its buyers and of providers, one after the other. The names are long, because
 * these mails are looked at on a phone.
 */
import type { Context } from '../../context.ts'
import { changeOrderBook, verifyOrderBook } from '../../operator/orders/book.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { askOperation, createLink, payAtBank } from '../calls.ts'
import type { Shop } from '../harness.ts'

export type Reader = 'buyer' | 'owner' | 'operator'
export const ADDRESSES: Record<Exclude<Reader, 'buyer'>, string> = {
  owner: 'potter@shop.example',
  operator: 'operator@pay.example',
}
/** No mailbox gets more than a few mails an hour, so each buyer has one. */
export const isBuyers = (address: string) => address.startsWith('buyer')

export type MailScene = {
  ctx: Context
  url: string
  shop: Shop
  locale: Locale
  /** Runs an operator's command, and returns its JSON. @throws Error with what it printed, unless it `mayFail` */
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own answer
  operate(words: string[], options?: { mayFail: boolean }): Promise<any>
}

const DAY_MS = 86_400_000

/** A new language has these in English. */
type Examples = Partial<Record<Locale, string>> & { en: string }
const WHAT: Examples = {
  hy: 'Լեռնային ուրցի թեյ՝ ձեռքով հավաքված Գառնիի լանջերին, նվերի տուփով',
  ru: 'Горный чабрец, собранный вручную над Гарни, в подарочной коробке',
  en: 'Wild mountain thyme, cut by hand above Garni, in a gift box',
}
const WHO: Examples = {
  hy: 'Անահիտ Տեր-Պողոսյան',
  ru: 'Анаит Тер-Погосян',
  en: 'Anahit Ter-Poghosyan',
}
/** A shop's own number, without a place where a line could break. */
const LONG_NUMBER = 'URTS-2026-WEB-YEREVAN-KENTRON-000000123456789-GIFT'

let orders = 0

/**
 * A buyer opens a link, types an address and pays at the bank. `outcome`: null for a buyer who only reads where to pay. Returns the
 * payment's id.
 */
async function buy(
  { url, shop, locale }: MailScene,
  changes: object = {},
  outcome: string | null = 'paid',
): Promise<string> {
  orders += 1
  const merchantOrderId = `URTS-${orders}`
  const customer = { name: WHO[locale] ?? WHO.en, phone: '+374 00 000000' }
  const terms = { amount: '12345.00', currency: 'AMD', description: WHAT[locale] ?? WHAT.en }
  const request = { merchantOrderId, customer, ...terms, ...changes }
  const { status, body: link } = await createLink(url, shop, { key: merchantOrderId, body: request })
  if (status !== 201) throw new Error(`The link was refused: ${JSON.stringify(link)}`)
  const answer = await fetch(`${link.checkoutUrl}/continue?locale=${locale}`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ email: `buyer${orders}@example.com` }),
    redirect: 'manual',
  })
  if (outcome !== null) await payAtBank(answer.headers.get('location') ?? '', outcome)
  return link.paymentId
}

async function giveBack({ url, shop }: MailScene, paymentId: string, amountMinor: number): Promise<void> {
  const refund = { key: `back-${paymentId}`, body: { amountMinor, reason: 'a broken cup' } }
  const { status } = await askOperation(url, shop, paymentId, 'refunds', refund)
  if (status !== 201) throw new Error(`The refund was refused with ${status}.`)
}

const advance = ({ operate }: MailScene, by: string) => operate(['clock', 'advance', '--by', by])

const faulty = (sandboxFault: string) => ({ metadata: { sandboxFault } })

/** `mails`: how many mails the act causes, by reader. The last one to the owner or operator has the name of the act. */
type Act = {
  name: string
  mails: Partial<Record<Reader, number>>
  run(scene: MailScene, wait: (mails: Act['mails']) => Promise<void>): Promise<unknown>
}

export const ACTS: Act[] = [
  {
    name: 'test',
    mails: { owner: 1 },
    run: ({ ctx, shop }) => verifyOrderBook(ctx, shop.merchantId),
  },
  {
    name: 'sale',
    mails: { buyer: 1, owner: 1 },
    run: (scene) => buy(scene, { merchantOrderId: LONG_NUMBER }),
  },
  {
    name: 'refund',
    mails: { buyer: 1, owner: 1 },
    async run(scene, wait) {
      const id = await buy(scene)
      await wait({ buyer: 1, owner: 1 })
      await giveBack(scene, id, 234_500)
    },
  },
  {
    name: 'refund-failed',
    mails: { buyer: 1, owner: 1 },
    async run(scene, wait) {
      const id = await buy(scene, faulty('refund_fails_after_success'))
      await wait({ buyer: 1, owner: 1 })
      await giveBack(scene, id, 1_234_500)
      await wait({ buyer: 1, owner: 1 })
      await advance(scene, '2h')
    },
  },
  {
    name: 'transfer',
    mails: { buyer: 1 },
    run(scene) {
      const expiresAt = new Date(scene.ctx.clock.now().getTime() + 5 * DAY_MS).toISOString()
      return buy(scene, { providerRoute: 'manual', expiresAt }, null)
    },
  },
  { name: 'transfer-reminder', mails: { buyer: 1 }, run: (scene) => advance(scene, '6d') },
  {
    name: 'dispute',
    mails: { owner: 1 },
    async run(scene, wait) {
      await buy(scene, faulty('dispute_won'))
      await wait({ buyer: 1, owner: 1 })
      await advance(scene, '30s')
    },
  },
  { name: 'held', mails: { owner: 1 }, run: (scene) => buy(scene, { providerRoute: 'route_b' }) },
  {
    name: 'case',
    mails: { owner: 1, operator: 1 },
    async run(scene) {
      await buy(scene, faulty('wrong_amount'))
      await advance(scene, '6m')
    },
  },
  {
    name: 'list',
    mails: { owner: 1, operator: 1 },
    async run(scene, wait) {
      await changeOrderBook(scene.ctx, scene.shop.merchantId, { told: 'daily' })
      for (const changes of [{}, { description: LONG_NUMBER }, {}]) await buy(scene, changes)
      await wait({ buyer: 3 })
      for (const fault of ['wrong_amount', 'wrong_currency']) await buy(scene, faulty(fault))
      await advance(scene, '24h')
    },
  },
  {
    name: 'account',
    mails: { operator: 1 },
    async run(scene) {
      const { operate, shop } = scene
      const { secret } = await operate(['account', 'customer', '--customer', 'urts'])
      const own = ['--merchant', shop.merchantId, '--route', 'route_a', '--driver', 'sandbox']
      const given = ['--set', 'CUSTOMER=urts', '--set', `SECRET=${secret}`]
      const { accountId } = await operate(['account', 'set', ...own, ...given])
      const account = ['--account', accountId]
      await operate(['account', 'rotate', ...account, '--set', `SECRET=${secret.slice(0, -1)}`])
      await operate(['account', 'test', ...account], { mayFail: true })
      await advance(scene, '2m')
    },
  },
]
