/** `merchant brand`: how hosted pages show a merchant. */
import type { Context } from '../../context.ts'
import {
  BRANDING_PARTS,
  type Branding,
  type BrandingPart,
  getBranding,
  setBranding,
} from '../../merchants/branding.ts'
import { readPicture } from '../../merchants/picture.ts'
import { verb } from '../command.ts'
import {
  flagName,
  givenLanguages,
  MERCHANT,
  optional,
  optionalChoice,
  perLanguage,
  severalChoices,
} from '../flag.ts'
import { readGivenFile } from '../given-file.ts'
import { pairs, paragraphs } from '../layout.ts'

/** The parts as they are typed: `tax-number`. */
const PARTS = BRANDING_PARTS.map((part) => [flagName(part).slice(2), part] as const)

export const brand = verb({
  name: 'brand',
  needs: 'operator',
  summary: "Show or change a merchant's name, logo and contacts",
  flags: {
    merchant: MERCHANT,
    name: optional('N', 'the name that buyers see, in every language without a name of its own'),
    ...perLanguage('name', (language) => optional('N', `the name on ${language} pages`)),
    logo: optional('FILE', 'a PNG, JPEG, WebP or GIF picture of at most 5 MB'),
    colour: optional(
      'COLOUR',
      'the colour of buttons, such as 1f6feb; the text on it is chosen so that it can be read',
    ),
    phone: optional('P', 'the telephone number for buyers'),
    email: optional('E', 'the e-mail address for buyers'),
    site: optional('U', "the address of the shop's site"),
    taxNumber: optional('T', "the merchant's tax number"),
    termsUrl: optional('U', 'the address of the terms of sale'),
    timeZone: optional('Z', 'the time zone of times on pages, such as Asia/Yerevan'),
    askEmail: optionalChoice('ANSWER', 'whether pages ask buyers for an e-mail address', ['yes', 'no']),
    remove: severalChoices(
      'PART',
      'a part to remove',
      PARTS.map(([typed]) => typed),
    ),
  },
  examples: [
    '--merchant mer_01...',
    '--merchant mer_01... --name "Mountain Tea" --name-ru "Горный чай" --logo logo.png --colour 1f6feb',
    '--merchant mer_01... --phone "+374 10 123456" --email help@shop.example --tax-number 01234567',
    '--merchant mer_01... --ask-email yes',
    '--merchant mer_01... --remove logo colour',
  ],
  async run(ctx, { merchant: merchantId, remove: typed = [], logo: file, askEmail, ...texts }) {
    const removed = PARTS.filter(([name]) => typed.includes(name)).map(([, part]) => part)
    const names = givenLanguages('name', texts)
    const plain = BRANDING_PARTS.flatMap((part) =>
      part !== 'logo' && texts[part] !== undefined ? [[part, texts[part]]] : [],
    )
    const changes: Branding = {
      ...Object.fromEntries(plain),
      ...(Object.keys(names).length > 0 && { names }),
      ...(askEmail && { askEmail: askEmail === 'yes' }),
    }
    const isChange = Object.keys(changes).length + removed.length > 0 || file !== undefined
    const before = await getBranding(ctx, merchantId)
    const logo = file === undefined ? undefined : await readPicture('logo', await readGivenFile(file), 'logo')
    const branding = isChange
      ? await setBranding(ctx, merchantId, changes, removed, { logo })
      : before.branding
    return {
      json: { merchantId, name: before.name, branding: presentBranding(ctx, branding) },
      text: paragraphs(
        isChange && 'Hosted pages show this within a second.',
        brandingText(ctx, merchantId, before.name, branding),
      ),
    }
  },
})

function presentBranding({ baseUrl }: Context, { logo, ...branding }: Branding) {
  return { ...branding, ...(logo && { logo: { ...logo, url: `${baseUrl}/pictures/${logo.id}.png` } }) }
}

const TITLES: Record<BrandingPart, string> = {
  name: 'Name',
  logo: 'Logo',
  colour: 'Colour',
  phone: 'Telephone',
  email: 'E-mail',
  site: 'Site',
  taxNumber: 'Tax number',
  termsUrl: 'Terms',
  timeZone: 'Time zone',
}

function brandingText(ctx: Context, merchantId: string, registered: string, branding: Branding): string {
  const { logo, names = {} } = branding
  const shown = {
    ...branding,
    name: branding.name ?? registered,
    logo: logo && `${logo.width} x ${logo.height}  ${ctx.baseUrl}/pictures/${logo.id}.png`,
  }
  return pairs([
    ['Merchant', merchantId],
    ...BRANDING_PARTS.map((part): [string, string] => [TITLES[part], shown[part] ?? 'none']),
    ['Asks for an e-mail address', branding.askEmail ? 'yes' : 'no'],
    ...Object.entries(names).map(([language, name]): [string, string] => [`Name (${language})`, name]),
  ])
}
