/** The guarded acts on callbacks and the secrets that sign events: what a shop believes is paid. */
import { getMerchant } from '../../merchants/merchant.ts'
import type { Overlap } from '../../merchants/overlap.ts'
import { expectSeen, versionOf } from '../../merchants/version.ts'
import { checkReceiverUrl, ORDER_BOOK_URL, setCallback } from '../../receivers/receiver.ts'
import { hasReceiverSecret, makeWebhookSecret, rotateWebhookSecret } from '../../receivers/secret.ts'
import { findReceiver } from '../../storage/events/receivers.ts'
import { listLiveWebhookSecrets } from '../../storage/events/webhook-secrets.ts'
import { shopFact, textFact, urlShown } from './facts.ts'
import type { Guarded, Reading, Secret } from './stake.ts'

type Callback = { merchantId: string; url: string; seen?: string | null }
type Rotation = { merchantId: string; overlap: Overlap; seen?: string }

const callback: Guarded<Callback, { webhookSecret: string | null }> = {
  async stake(ctx, args) {
    const { merchantId, url } = args
    checkReceiverUrl(ctx, url)
    // The address that it replaces is bound, so an old proposal never replaces a newer address.
    const seen = args.seen === undefined ? ((await findReceiver(ctx.db, merchantId))?.url ?? null) : args.seen
    return {
      money: null,
      merchantId,
      about: `${merchantId} ${url.replace(/\?.*/s, '?...')}`,
      args: { ...args, seen },
    }
  },
  hasMoved: async (ctx, { merchantId, seen }) =>
    seen !== undefined && seen !== ((await findReceiver(ctx.db, merchantId))?.url ?? null),
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    url: ({ args }) => [
      {
        name: 'url',
        after: urlShown(args.url, ORDER_BOOK_URL),
        before: urlShown(args.seen ?? null, ORDER_BOOK_URL),
      },
    ],
    // It is shown as what the new address replaces.
    seen: 'bound',
  },
  opens: {
    async make(ctx, { merchantId, url }) {
      // The order book reads the secret inside the service, so no person needs it.
      if (url === ORDER_BOOK_URL || (await hasReceiverSecret(ctx, merchantId))) return null
      return { kind: 'webhookSecret', text: makeWebhookSecret(), merchantId }
    },
  },
  run: (ctx, { merchantId, url, seen }, _actor, _doer, secret) =>
    setCallback(ctx, merchantId, url, { seen, secret }),
}

const validSecrets = async (ctx: Pick<Reading, 'db' | 'clock'>, merchantId: string) =>
  (await listLiveWebhookSecrets(ctx.db, [merchantId], ctx.clock.now())).map(({ id }) => id)

const rotateSecret: Guarded<Rotation, Awaited<ReturnType<typeof rotateWebhookSecret>>> = {
  async stake(ctx, args) {
    const { id: merchantId } = await getMerchant(ctx, args.merchantId)
    const seen = args.seen ?? versionOf(await validSecrets(ctx, merchantId))
    return { money: null, merchantId, about: merchantId, args: { ...args, seen } }
  },
  hasMoved: async (ctx, { merchantId, seen }) =>
    seen !== undefined && seen !== versionOf(await validSecrets(ctx, merchantId)),
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    overlap: ({ args }) => textFact('overlap', args.overlap),
    seen: 'bound',
  },
  opens: {
    make: async (_ctx, { merchantId, overlap }): Promise<Secret> => ({
      kind: 'webhookSecret',
      text: makeWebhookSecret(),
      merchantId,
      overlap,
    }),
  },
  async run(ctx, { merchantId, overlap, seen }, _actor, _doer, secret) {
    if (seen !== undefined) expectSeen(await validSecrets(ctx, merchantId), seen)
    return rotateWebhookSecret(ctx, merchantId, overlap, { secret })
  },
}

export const GUARDED_CREDENTIALS = {
  'callback set': callback,
  'callback rotate-secret': rotateSecret,
}
