/** Branding: how hosted pages show a merchant. Both worlds share it, so a shop looks the same in tests and with real money. */
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../context.ts'
import { isTimeZone, TIME_ZONE } from '../contract/time-zone.ts'
import { AppError } from '../errors.ts'
import { inTransaction, type Queryable } from '../storage/db.ts'
import {
  type Branding,
  findBranding,
  findPicture as findPictureRecord,
  insertPicture,
  type Language,
  type PictureRecord,
  type Texts,
  updateBranding,
} from '../storage/merchants/branding.ts'
import { lockMerchant } from '../storage/merchants/merchants.ts'
import { cached } from './cache.ts'
import { MERCHANT_NAME_MAX_CHARS, noSuchMerchant } from './merchant.ts'
import type { NewPicture } from './picture.ts'
import { checkName } from './text.ts'
import { expectSeen } from './version.ts'

export type { Branding, Texts } from '../storage/merchants/branding.ts'

const URL_MAX_CHARS = 300

/** The parts that can be removed one by one. */
export const BRANDING_PARTS = [
  'name',
  'logo',
  'colour',
  'phone',
  'email',
  'site',
  'taxNumber',
  'termsUrl',
  'timeZone',
] as const
export type BrandingPart = (typeof BRANDING_PARTS)[number]

/**
 * Changes the given parts and removes the listed ones. All other parts stay. An empty name in a language ends it. `logo`: a new
 * one, which is stored too. `seen`: the version of the branding that the change was decided about.
 * @throws AppError not_found; validation_failed with every wrong part, or if the branding has another version by now
 */
export async function setBranding(
  ctx: Context,
  merchantId: string,
  changes: Branding,
  removed: readonly BrandingPart[] = [],
  { seen, logo }: { seen?: string | undefined; logo?: NewPicture | undefined } = {},
): Promise<Branding> {
  await getBranding(ctx, merchantId)
  const checked = checkBranding(logo ? { ...changes, logo: logo.picture } : changes)
  return inTransaction(ctx.db, async (tx) => {
    await lockMerchant(tx, merchantId)
    const { branding: before } = await getBranding({ db: tx }, merchantId)
    const branding = mergeBranding(before, checked, removed)
    if (seen !== undefined && isDeepStrictEqual(before, branding)) return branding
    if (seen !== undefined) expectSeen(before, seen)
    if (logo) await insertPicture(tx, logo.record, ctx.clock.now())
    await updateBranding(tx, merchantId, branding)
    return branding
  })
}

/** Returns the branding as it is afterwards. */
export function mergeBranding(
  before: Branding,
  changes: Branding,
  removed: readonly BrandingPart[],
): Branding {
  const named = Object.entries({ ...before.names, ...changes.names }).filter(([, name]) => name !== '')
  const branding: Branding = { ...before, ...changes, names: Object.fromEntries(named) }
  if (named.length === 0) delete branding.names
  for (const part of removed) delete branding[part]
  if (removed.includes('name')) delete branding.names
  return branding
}

/** @throws AppError not_found */
export async function getBranding(
  { db }: { db: Queryable },
  merchantId: string,
): Promise<{ name: string; branding: Branding }> {
  const found = await findBranding(db, merchantId)
  if (!found) throw noSuchMerchant(merchantId)
  return found
}

/** Returns the merchant's name and branding, up to a second old; null if there is no such merchant. */
export const findBrandingCached = cached((ctx: Context, merchantId: string) =>
  findBranding(ctx.db, merchantId),
)

/** The time zone of the shop's days, up to a second old. */
export const zoneOf = async (ctx: Context, merchantId: string): Promise<string> =>
  (await findBrandingCached(ctx, merchantId))?.branding.timeZone ?? TIME_ZONE

/**
 * Returns the name that buyers read in this language. Without a language it is the name for every language without a name of its
 * own. Empty if there is no such merchant.
 */
export async function findShownName(
  ctx: Context,
  merchantId: string,
  language: Language | null = null,
): Promise<string> {
  const found = await findBrandingCached(ctx, merchantId)
  if (!found) return ''
  const name = found.branding.name ?? found.name
  return language ? textIn(language, found.branding.names, name) : name
}

/** Returns the stored picture, or null. */
export async function findPicture(ctx: Context, id: string): Promise<PictureRecord | null> {
  return /^[0-9a-f]{40}$/.test(id) ? findPictureRecord(ctx.db, id) : null
}

/** Returns the text in this language, else the one for all languages. */
export function textIn(language: Language, texts: Texts | undefined, fallback: string): string {
  return texts?.[language] ?? fallback
}

type Rule = { pattern: RegExp; example: string }

const RULES: Partial<Record<BrandingPart, Rule>> = {
  colour: { pattern: /^#[0-9a-f]{6}$/, example: 'a colour such as #1f6feb' },
  phone: { pattern: /^\+?[\d ()./-]{4,39}\d$/, example: 'a telephone number such as +374 10 123456' },
  email: {
    pattern: /^[^\s@<>"(),:;\\[\]]{1,64}@[^\s@<>"(),:;\\[\]]+\.[^\s@.<>"(),:;\\[\]]{2,}$/,
    example: 'an e-mail address',
  },
  taxNumber: {
    pattern: /^[\p{L}\d][\p{L}\d ./-]{1,39}$/u,
    example: 'a tax number of 2 to 40 letters and digits',
  },
}

/** Checks what is about to be stored, and spells it alike. @throws AppError validation_failed with every wrong part */
export function checkBranding(given: Branding): Branding {
  const errors: Record<string, string> = {}
  const checked: Branding = { ...given, ...(given.colour && { colour: spelledColour(given.colour) }) }
  for (const name of [given.name, ...Object.values(given.names ?? {})])
    if (name) checkName('name', name, MERCHANT_NAME_MAX_CHARS)
  if (given.name === '') checkName('name', given.name, MERCHANT_NAME_MAX_CHARS)
  for (const [part, { pattern, example }] of Object.entries(RULES) as [keyof typeof RULES, Rule][]) {
    const value = checked[part]
    if (typeof value === 'string' && (value.length > 160 || !pattern.test(value)))
      errors[part] = `must be ${example}`
  }
  for (const part of ['site', 'termsUrl'] as const)
    if (given[part] !== undefined && !isWebAddress(given[part]))
      errors[part] = 'must be an address such as https://shop.example'
  if (given.timeZone !== undefined && !isTimeZone(given.timeZone))
    errors.timeZone = 'must be the name of a time zone, such as Asia/Yerevan'
  if (Object.keys(errors).length > 0)
    throw new AppError('validation_failed', {
      message: Object.entries(errors)
        .map(([part, why]) => `The ${LABELS[part as BrandingPart]} ${why}.`)
        .join('\n'),
      errors,
    })
  return checked
}

const LABELS: Record<BrandingPart, string> = {
  name: 'name',
  logo: 'logo',
  colour: 'colour',
  phone: 'telephone number',
  email: 'e-mail address',
  site: 'site',
  taxNumber: 'tax number',
  termsUrl: 'address of the terms',
  timeZone: 'time zone',
}

/** A shell reads a bare # as a comment, so the colour is accepted without it as well. Three digits are the short form of six. */
function spelledColour(text: string): string {
  const digits = text.trim().toLowerCase().replace(/^#/, '')
  return `#${/^[0-9a-f]{3}$/.test(digits) ? [...digits].map((digit) => digit + digit).join('') : digits}`
}

function isWebAddress(text: string): boolean {
  return text.length <= URL_MAX_CHARS && /^https?:\/\/[^\s\\]+$/.test(text) && URL.canParse(text)
}
