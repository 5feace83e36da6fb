import { checkReceiverUrl, ORDER_BOOK_URL, setCallback } from '../../receivers/receiver.ts'
import { hasReceiverSecret, makeWebhookSecret } from '../../receivers/secret.ts'
import { findReceiver } from '../../storage/events/receivers.ts'
import { shopFact, urlShown } from './facts.ts'
import type { Guarded } from './stake.ts'

type Callback = { merchantId: string; url: string; seen?: string | null }

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
  run: (ctx, { merchantId, url, seen }, _doer, secret) => setCallback(ctx, merchantId, url, { seen, secret }),
}

export const GUARDED_CREDENTIALS = {
  'callback set': callback,
}
