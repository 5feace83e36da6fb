/** How the demo shop looks on its payment pages, in its mails and on its poster. Its pictures were made for it, so none is encoded. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Context } from '../context.ts'
import type { Branding } from '../merchants/branding.ts'
import type { ProductRecord } from '../merchants/product.ts'
import { insertPicture, type Picture } from '../storage/merchants/branding.ts'

const FOLDER = new URL('../../public/demo/', import.meta.url)
const ID_CHARS = 40

/** The start page of the demo shop, beside the page to which its buyers return. */
export const demoSite = (returnUrl: string): string => new URL('./', returnUrl).href

export async function demoBranding(ctx: Context, returnUrl: string): Promise<Branding> {
  return {
    names: { hy: '«Ուրց» թեյ, Երևան', ru: 'Чай «Урц», Ереван' },
    colour: '#7c3f33',
    // No area code of Armenia begins with a zero, so nobody can have this number.
    phone: '+374 00 000000',
    email: 'hello@urts.example',
    site: demoSite(returnUrl),
    taxNumber: '00000000',
    timeZone: 'Asia/Yerevan',
    logo: await keepPicture(ctx, 'logo.png', { width: 256, height: 256, ground: 'light' }),
  }
}

export async function demoDisplay(ctx: Context): Promise<NonNullable<ProductRecord['display']>> {
  return {
    names: { hy: 'Լեռնային ուրցի թեյ', ru: 'Горный чабрец' },
    description: 'Wild thyme, cut by hand above Garni, 100 g',
    descriptions: {
      hy: 'Վայրի ուրց՝ ձեռքով հավաքված Գառնիի լանջերին, 100 գ',
      ru: 'Дикий чабрец, собран вручную над Гарни, 100 г',
    },
    picture: await keepPicture(ctx, 'tea.webp', { width: 840, height: 960, ground: 'light' }),
  }
}

async function keepPicture(ctx: Context, file: string, size: Omit<Picture, 'id'>): Promise<Picture> {
  const bytes = await readFile(new URL(file, FOLDER))
  const id = createHash('sha256').update(bytes).digest('hex').slice(0, ID_CHARS)
  const type = file.endsWith('.png') ? 'image/png' : 'image/webp'
  await insertPicture(ctx.db, { id, type, bytes }, ctx.clock.now())
  return { id, ...size }
}
