/** A public name that a shop asks for: what buyers read on pages, in mails and on posters as the name of who gets their money. */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { type Branding, getBranding, setBranding } from '../../merchants/branding.ts'
import { versionOf } from '../../merchants/version.ts'
import type { Queryable } from '../../storage/db.ts'
import type { Texts } from '../../storage/merchants/branding.ts'
import { shopFact, textFact } from './facts.ts'
import type { Guarded } from './stake.ts'

export const PUBLIC_NAME = 'name ask'

/** `names`: in each language; empty where there is none. */
export type PublicName = {
  merchantId: string
  name: string
  names: Texts
  /** The names that it replaces, as they were when it was asked for. Bound to the proposal. */
  seen?: string
}

/** Returns the names that buyers read now. */
export async function presentName(
  ctx: { db: Queryable },
  merchantId: string,
): Promise<Pick<PublicName, 'name' | 'names'>> {
  const { name, branding } = await getBranding(ctx, merchantId)
  return { name: branding.name ?? name, names: branding.names ?? {} }
}

const seenOf = async (ctx: { db: Queryable }, merchantId: string) =>
  versionOf(await presentName(ctx, merchantId))

export const publicName: Guarded<PublicName, Branding> = {
  async stake(ctx, args) {
    const { merchantId, name, names } = args
    const all = [name, ...Object.values(names).filter(Boolean)].join(' / ')
    const seen = await seenOf(ctx, merchantId)
    return { money: null, merchantId, about: `${merchantId}: ${all}`, args: { ...args, seen } }
  },
  hasMoved: async (ctx, { merchantId, seen }) =>
    seen !== undefined && seen !== (await seenOf(ctx, merchantId)),
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    name: async ({ ctx, args }) =>
      textFact('name', args.name, (await presentName(ctx, args.merchantId)).name),
    async names({ ctx, args }) {
      const before: Record<string, string> = (await presentName(ctx, args.merchantId)).names
      return Object.entries(args.names).flatMap(([language, text]) =>
        textFact('name', text, before[language] ?? null).map((fact) => ({ ...fact, of: language })),
      )
    },
    seen: 'bound',
  },
  async run(ctx: Context, { merchantId, name, names, seen }) {
    if (seen !== undefined && seen !== (await seenOf(ctx, merchantId)))
      throw new AppError('validation_failed', {
        reason: 'changed_meanwhile',
        message:
          "The shop's name has changed since this was asked for. If it is still right, ask for it again.",
      })
    return setBranding(ctx, merchantId, { name, names })
  },
}
