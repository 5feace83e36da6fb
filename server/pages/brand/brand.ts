/** The merchant's branding as hosted pages show it, in the page's language. */
import type { Context } from '../../context.ts'
import { type Branding, findBrandingCached, textIn } from '../../merchants/branding.ts'
import type { Locale } from '../words/locale.ts'

/** A picture as a page shows it. `address`: on our own host. */
export type ShownPicture = { address: string; width: number; height: number; ground: 'light' | 'dark' }

/** What pages show of a merchant, in the reader's language. All members except the name may be absent. */
export type Brand = Omit<Branding, 'name' | 'names' | 'logo' | 'askEmail'> & {
  name: string
  logo?: ShownPicture
}

/** Returns the branding of the merchant. A merchant without branding has only a name. */
export async function findBrand(ctx: Context, merchantId: string, locale: Locale): Promise<Brand> {
  const found = await findBrandingCached(ctx, merchantId)
  if (!found) return { name: '' }
  const { name: shortName, names, logo, askEmail: _, ...rest } = found.branding
  return {
    ...rest,
    name: textIn(locale, names, shortName ?? found.name),
    ...(logo && { logo: shownPicture(logo) }),
  }
}

const FORMATS = { logo: 'png', product: 'webp' } as const

/** Returns the picture that a messenger shows for a shared page, with its absolute address. */
export function previewImage(
  { baseUrl }: Pick<Context, 'baseUrl'>,
  product: { picture?: ShownPicture } | null,
  { logo }: Brand,
): { image?: string } {
  const picture = product?.picture ?? logo
  return picture ? { image: `${baseUrl}${picture.address}` } : {}
}

export function shownPicture(
  { id, ...picture }: { id: string; width: number; height: number; ground: 'light' | 'dark' },
  kind: keyof typeof FORMATS = 'logo',
): ShownPicture {
  return { ...picture, address: `/pictures/${id}.${FORMATS[kind]}` }
}
