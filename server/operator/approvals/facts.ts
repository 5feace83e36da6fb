/**
 * What a second person reads before granting: facts that follow from the bound values of the act, with what each replaces.
 * Rule: every value of an act is shown, or only binds the act to what the proposer saw. A row that leaves one out does not compile.
 */
import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import type { MessageKey } from '../../messages/translate.ts'
import { withoutQuery } from '../../receivers/receiver.ts'
import { findMerchant } from '../../storage/merchants/merchants.ts'

type Named<Part extends string> = MessageKey extends infer Key
  ? Key extends `approvals.${Part}.${infer Name}`
    ? Name
    : never
  : never
/** A fact whose name has no words in the catalogues does not compile. */
export type FactName = Named<'facts'>
export type FactWord = Named<'values'>

/** `digest`: of a secret, so that two people can compare it and nobody reads it. */
export type Shown =
  | { text: string }
  | { amountMinor: number; currency: CurrencyCode }
  | { word: FactWord }
  | { digest: string }

/** `of`: which setting or currency it is. `before`: what it replaces; absent where nothing is replaced. */
export type Fact = { name: FactName; of?: string; after: Shown; before?: Shown | null }

export type FactScene<Args> = { ctx: Context; args: Args }
type Show<Args> = (scene: FactScene<Args>) => Fact[] | Promise<Fact[]>
/** `bound`: the value only binds the act to what the proposer saw, and says nothing that is done. */
export type Shows<Args> = { [Name in keyof Args]-?: Show<Args> | 'bound' }

/** Returns the facts of an act, in the order of its row. */
export async function factsOf<Args extends object>(
  shows: Shows<Args>,
  scene: FactScene<Args>,
): Promise<Fact[]> {
  const found: Fact[] = []
  for (const show of Object.values<Show<Args> | 'bound'>(shows))
    if (show !== 'bound') found.push(...(await show(scene)))
  return found
}

const DIGEST_CHARS = 16

/** The first characters of the SHA-256 of a secret, as `sha256sum` prints it. */
export const digestOf = (secret: string): Shown => ({
  digest: `sha256 ${createHash('sha256').update(secret).digest('hex').slice(0, DIGEST_CHARS)}`,
})

/** A text, unless nothing was given. */
export const textFact = (name: FactName, text: string | null | undefined, before?: string | null): Fact[] =>
  text === null || text === undefined || text === ''
    ? []
    : [
        {
          name,
          after: { text },
          ...(before !== undefined && { before: before === null ? null : { text: before } }),
        },
      ]

export const textOrNone = (text: string | null | undefined): Shown =>
  text === null || text === undefined || text === '' ? { word: 'none' } : { text }

export const yesOrNo = (isYes: boolean): Shown => ({ word: isYes ? 'yes' : 'no' })

export const wordFact = (name: FactName, word: FactWord): Fact[] => [{ name, after: { word } }]

/** Shown only where it is chosen. */
export const tickFact = (name: FactName, isChosen: boolean | undefined): Fact[] =>
  isChosen ? wordFact(name, 'yes') : []

export async function shopFact({ db }: Context, merchantId: string | null | undefined): Promise<Fact[]> {
  return merchantId ? [{ name: 'shop', after: await shopShown({ db }, merchantId) }] : []
}

export async function shopShown({ db }: Pick<Context, 'db'>, merchantId: string | null): Promise<Shown> {
  if (merchantId === null) return { word: 'all' }
  const merchant = await findMerchant(db, merchantId)
  return { text: merchant ? `${merchant.name} (${merchantId})` : merchantId }
}

export type NamedText = { name: FactName; of?: string; text: string }

/** Returns the texts that differ, with both sides. `before`: null for something new. */
export function differences(before: readonly NamedText[] | null, after: readonly NamedText[]): Fact[] {
  const keyOf = ({ name, of = '' }: NamedText) => `${name} ${of}`
  const old = new Map((before ?? []).map((line) => [keyOf(line), line]))
  const now = new Map(after.map((line) => [keyOf(line), line]))
  return [...new Map([...now, ...old])].flatMap(([key, { name, of }]): Fact[] => {
    const [was, is] = [old.get(key)?.text, now.get(key)?.text]
    if (was === is) return []
    return [{ name, ...(of && { of }), after: textOrNone(is), ...(before && { before: textOrNone(was) }) }]
  })
}

/** An address may carry a secret in its query, so that is shown as a digest. */
export function urlShown(url: string | null, orderBook: string): Shown {
  if (url === null) return { word: 'none' }
  if (url === orderBook) return { word: 'orderBook' }
  const query = url.indexOf('?')
  if (query < 0) return { text: url }
  const { digest } = digestOf(url.slice(query + 1)) as { digest: string }
  return { text: `${withoutQuery(url)} (${digest})` }
}
