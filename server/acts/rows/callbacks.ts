/** The acts on what a shop's events are signed with. Whoever knows a secret can tell the shop that it was paid. */
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { isFault } from '../../merchants/onboarding.ts'
import { OVERLAP_DEFAULT, OVERLAPS } from '../../merchants/overlap.ts'
import { expectSeen, versionOf } from '../../merchants/version.ts'
import { shopFact, urlShown, wordFact } from '../../operator/approvals/facts.ts'
import type { ProposalReader } from '../../operator/approvals/stake.ts'
import { usesOrderBook, verifyOrderBook } from '../../operator/orders/book.ts'
import { verifyCallback } from '../../receivers/check.ts'
import { checkReceiverUrl, ORDER_BOOK_URL, setCallback } from '../../receivers/receiver.ts'
import {
  endReplacedSecrets,
  hasReceiverSecret,
  makeWebhookSecret,
  rotateWebhookSecret,
} from '../../receivers/secret.ts'
import { findLatestCallbackCheck } from '../../storage/events/callback-checks.ts'
import { findReceiver } from '../../storage/events/receivers.ts'
import { listValidSecretRecords } from '../../storage/events/webhook-secrets.ts'
import { type AnyRow, act } from '../act.ts'
import { bound, oneOf, optionalUrl, seen, shop, tick } from '../input.ts'

const validSecrets = async (ctx: Pick<ProposalReader, 'db' | 'clock'>, merchantId: string) =>
  (await listValidSecretRecords(ctx.db, [merchantId], ctx.clock.now())).map(({ id }) => id)

export const rotateSecret = act('callback rotate-secret', {
  merchantId: shop(),
  overlap: oneOf(OVERLAPS, { preset: OVERLAP_DEFAULT, placeholder: 'T', words: 'overlap' }),
  seen: seen(),
})({
  place: 'shop',
  current: async (ctx, merchantId) => ({ secrets: await validSecrets(ctx, merchantId) }),
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    overlap: ({ args }) => wordFact('overlap', `overlap_${args.overlap}`),
    seen: 'bound',
  },
  secondPerson: {
    async stake(ctx, args) {
      const { id: merchantId } = await getMerchant(ctx, args.merchantId)
      const known = args.seen ?? versionOf(await validSecrets(ctx, merchantId))
      return { money: null, merchantId, about: merchantId, args: { ...args, seen: known } }
    },
    hasMoved: async (ctx, args) =>
      args.seen !== undefined && args.seen !== versionOf(await validSecrets(ctx, args.merchantId)),
    opens: {
      make: async (_ctx, { merchantId, overlap }) => ({
        kind: 'webhookSecret',
        text: makeWebhookSecret(),
        merchantId,
        overlap,
      }),
    },
  },
  async run(ctx, given, _doer, secret) {
    const { id: merchantId } = await getMerchant(ctx, given.merchantId)
    if (given.seen !== undefined) expectSeen(await validSecrets(ctx, merchantId), given.seen)
    return rotateWebhookSecret(ctx, merchantId, given.overlap, { secret })
  },
  result: async (_ctx, { webhookSecret, oldUntil }, { merchantId }) => ({
    facts: { merchantId, oldUntil },
    shownOnce: { webhookSecret },
  }),
  helpExamples: ['--merchant mer_01...', '--merchant mer_01... --overlap 0'],
  examples: async ({ merchantId }) => [{ merchantId, overlap: '24h' }],
})

type Secrets = { secrets: string[]; replaced: number }

async function replacedSecrets(ctx: Context, merchantId: string): Promise<Secrets> {
  const records = await listValidSecretRecords(ctx.db, [merchantId], ctx.clock.now())
  const replaced = records.filter(({ expiresAt }) => expiresAt !== null).length
  return { secrets: records.map(({ id }) => id), replaced }
}

export const endSecret = act('callback end-secret', { merchantId: shop() })({
  place: 'shop',
  current: replacedSecrets,
  notNow: ({ replaced }) => (replaced > 0 ? null : 'acts.callback.none'),
  shows: { merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId) },
  async run(ctx, given) {
    const { id: merchantId } = await getMerchant(ctx, given.merchantId)
    return endReplacedSecrets(ctx, merchantId)
  },
  result: async (_ctx, ended, { merchantId }) => ({ facts: { merchantId, ended } }),
  helpExamples: ['--merchant mer_01...'],
  async examples({ merchantId, rotateSecret: rotate }) {
    await rotate()
    return [{ merchantId }]
  },
})

const addressOf = async ({ db }: Pick<ProposalReader, 'db'>, merchantId: string): Promise<string | null> =>
  (await findReceiver(db, merchantId))?.url ?? null
const wanted = ({ url, orderBook }: { url?: string | undefined; orderBook?: boolean | undefined }): string =>
  orderBook ? ORDER_BOOK_URL : (url ?? '')

/** The address that it replaces is bound, so an old proposal never replaces a newer address. */
export const set = act('callback set', {
  merchantId: shop(),
  url: optionalUrl({ placeholder: 'U' }),
  orderBook: tick({}),
  // Null: there was no address.
  seen: bound(z.string().nullable().optional()),
})({
  place: 'shop',
  wrong: ({ url, orderBook = false }) => (orderBook === (url !== undefined) ? 'url' : null),
  current: async (ctx, merchantId) => ({ url: await addressOf(ctx, merchantId) }),
  blames: 'url',
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    async url({ ctx, args }) {
      const after = wanted(args)
      const before = args.seen === undefined ? await addressOf(ctx, args.merchantId) : args.seen
      // Whoever confirms it reads that the order book gets nothing any more.
      const endsBook = before === ORDER_BOOK_URL && after !== ORDER_BOOK_URL
      return [
        { name: 'url', after: urlShown(after, ORDER_BOOK_URL), before: urlShown(before, ORDER_BOOK_URL) },
        ...(endsBook ? wordFact('ordersHere', 'ordersStay') : []),
      ]
    },
    // It is shown as the address.
    orderBook: 'bound',
    // It is shown as what the new address replaces.
    seen: 'bound',
  },
  secondPerson: {
    async stake(ctx, { seen: known, ...args }) {
      const { merchantId } = args
      const url = wanted(args)
      checkReceiverUrl(ctx, url)
      const before = known === undefined ? await addressOf(ctx, merchantId) : known
      return {
        money: null,
        merchantId,
        about: `${merchantId} ${url.replace(/\?.*/s, '?...')}`,
        args: { merchantId, url, seen: before },
      }
    },
    hasMoved: async (ctx, { merchantId, seen: known }) =>
      known !== undefined && known !== (await addressOf(ctx, merchantId)),
    opens: {
      async make(ctx, { merchantId, ...given }) {
        // The order book reads the secret inside the service, so no person needs it.
        if (wanted(given) === ORDER_BOOK_URL || (await hasReceiverSecret(ctx, merchantId))) return null
        return { kind: 'webhookSecret', text: makeWebhookSecret(), merchantId }
      },
    },
  },
  run: (ctx, { merchantId, seen: known, ...given }, _doer, secret) =>
    setCallback(ctx, merchantId, wanted(given), { seen: known, secret }),
  result: async (ctx, { webhookSecret }, { merchantId, orderBook = false }) => ({
    facts: { merchantId, callbackUrl: await addressOf(ctx, merchantId) },
    ...(webhookSecret !== null && { shownOnce: { webhookSecret } }),
    textValues: { secret: webhookSecret === null ? 'kept' : 'new', receiver: orderBook ? 'book' : 'url' },
  }),
  helpExamples: [
    '--merchant mer_01... --url https://shop.example/kassa/callback',
    '--merchant mer_01... --order-book',
  ],
  examples: async ({ merchantId }) => [
    { merchantId, url: 'https://shop.example/kassa/callback' },
    { merchantId, orderBook: true },
  ],
})

/** The order book is checked under "Going live". Its reader must open a link. */
export const verify = act('callback verify', { merchantId: shop() })({
  place: 'shop',
  asksOthers: true,
  async current(ctx, merchantId) {
    const url = await addressOf(ctx, merchantId)
    const latest = url === null ? null : await findLatestCallbackCheck(ctx.db, merchantId, url)
    return { url, latest: latest?.id ?? null }
  },
  notNow({ url }) {
    if (url === null) return 'acts.callback.noUrl'
    return url === ORDER_BOOK_URL ? 'acts.callback.verifiesBook' : null
  },
  shows: {
    async merchantId({ ctx, args: { merchantId } }) {
      const url = urlShown(await addressOf(ctx, merchantId), ORDER_BOOK_URL)
      return [...(await shopFact(ctx, merchantId)), { name: 'url', after: url }]
    },
  },
  async run(ctx, { merchantId }) {
    if (await usesOrderBook(ctx, merchantId)) return verifyOrderBook(ctx, merchantId)
    return { checks: await verifyCallback(ctx, merchantId) }
  },
  async result({ baseUrl }, { checks: { id: eventId, ...checked }, ...book }) {
    const { accepted, merchantId, url, statusCode, durationMs, failure, checks, woken } = checked
    const facts = { merchantId, eventId, url, accepted, statusCode, durationMs, failure, checks, woken }
    const open = checks.filter(isFault).map(({ name }) => name)
    return {
      facts: {
        ...facts,
        ...('link' in book && { mailedTo: book.mailedTo, link: book.link, mailServer: !book.noMailServer }),
      },
      textValues: {
        accepted: String(accepted),
        book: !('link' in book) ? 'none' : book.link ? 'link' : 'mailed',
      },
      ...(!accepted && {
        problem: {
          code: 'callback_not_accepted',
          message: `The callback URL did not pass: ${open.join(', ')}.`,
          hint: `Fix the receiver, and verify it again. Example receivers: ${baseUrl}/docs#receiver-kits`,
        },
      }),
    }
  },
  helpExamples: ['--merchant mer_01...'],
  async examples({ merchantId, receiver }) {
    await receiver()
    return [{ merchantId }]
  },
})

export const CALLBACK_ACTS: readonly AnyRow[] = [set, rotateSecret, endSecret, verify]
