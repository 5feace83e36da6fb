/** The act on how buyers see a shop. Without a wish it only shows that. An empty name in a language ends it. */
import {
  BRANDING_PARTS,
  type Branding,
  type BrandingPart,
  checkBranding,
  getBranding,
  mergeBranding,
  setBranding,
} from '../../merchants/branding.ts'
import { readPicture } from '../../merchants/picture.ts'
import { differences, type NamedText, shopFact } from '../../operator/approvals/facts.ts'
import { presentBranding } from '../../operator/views/branding.ts'
import { act } from '../act.ts'
import { allBound, file, type Given, oneOfOrNone, optionalText, seen, severalOf, shop } from '../input.ts'
import { byLanguage, inEachLanguage } from '../languages.ts'

/** A part as it is typed: `tax-number`. */
export const typedPart = (part: BrandingPart) =>
  part.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const INPUT = {
  merchantId: shop(),
  name: optionalText({ placeholder: 'N' }),
  ...inEachLanguage('name', () => optionalText({ placeholder: 'N' })),
  logo: file({ placeholder: 'FILE' }),
  colour: optionalText({ placeholder: 'COLOUR' }),
  phone: optionalText({ placeholder: 'P' }),
  email: optionalText({ placeholder: 'E' }),
  site: optionalText({ placeholder: 'U' }),
  taxNumber: optionalText({ placeholder: 'T' }),
  termsUrl: optionalText({ placeholder: 'U' }),
  timeZone: optionalText({ placeholder: 'Z' }),
  askEmail: oneOfOrNone(['yes', 'no'], { placeholder: 'ANSWER' }),
  remove: severalOf(BRANDING_PARTS.map(typedPart), { placeholder: 'PART', isOptional: true }),
  seen: seen(),
}
type Wanted = Given<typeof INPUT>

/** Without the logo, which is read from its file. */
function wishOf(given: Wanted): { changes: Branding; removed: BrandingPart[] } {
  const { askEmail, remove = [] } = given
  const texts = BRANDING_PARTS.flatMap((part) =>
    part !== 'logo' && given[part] !== undefined ? [[part, given[part]] as const] : [],
  )
  const names = byLanguage('name', given)
  const changes: Branding = {
    ...Object.fromEntries(texts),
    ...(Object.keys(names).length > 0 && { names }),
    ...(askEmail && { askEmail: askEmail === 'yes' }),
  }
  return { changes, removed: BRANDING_PARTS.filter((part) => remove.includes(typedPart(part))) }
}

const FACTS = {
  name: 'name',
  colour: 'colour',
  phone: 'phone',
  email: 'email',
  site: 'site',
  taxNumber: 'taxNumber',
  termsUrl: 'terms',
  timeZone: 'timeZone',
} as const

const linesOf = ({ names = {}, logo, askEmail, ...parts }: Branding): NamedText[] => [
  ...Object.entries(FACTS).flatMap(([part, name]) => {
    const text = parts[part as keyof typeof FACTS]
    return text === undefined ? [] : [{ name, text }]
  }),
  ...Object.entries(names).map(([of, text]) => ({ name: 'name', of, text }) as const),
  ...(logo ? [{ name: 'logo', text: logo.id } as const] : []),
  ...(askEmail ? [{ name: 'asked', text: 'email' } as const] : []),
]

export const brand = act(
  'merchant brand',
  INPUT,
)({
  shows: {
    ...allBound(INPUT),
    // With all that changes.
    async merchantId({ ctx, args }) {
      const { changes, removed } = wishOf(args)
      const { branding: before } = await getBranding(ctx, args.merchantId)
      const after = mergeBranding(before, checkBranding(changes), removed)
      const shown = await shopFact(ctx, args.merchantId)
      return [...shown, ...differences(linesOf(before), linesOf(after))]
    },
  },
  async run(ctx, given) {
    const { merchantId, logo: bytes, seen: known } = given
    const { changes, removed } = wishOf(given)
    const isChange = Object.keys(changes).length + removed.length > 0 || bytes !== undefined
    const { name, branding } = await getBranding(ctx, merchantId)
    if (!isChange) return { name, branding, isChange }
    const logo = bytes && (await readPicture('logo', bytes, 'logo'))
    return {
      name,
      branding: await setBranding(ctx, merchantId, changes, removed, { seen: known, logo }),
      isChange,
    }
  },
  result: async (ctx, { name, branding, isChange }, { merchantId }) => ({
    facts: { merchantId, name, branding: presentBranding(ctx, branding) },
    textValues: { changed: String(isChange) },
  }),
  helpExamples: [
    '--merchant mer_01...',
    '--merchant mer_01... --name "Mountain Tea" --name-ru "Горный чай" --logo logo.png --colour 1f6feb',
    '--merchant mer_01... --phone "+374 10 123456" --email help@shop.example --tax-number 01234567',
    '--merchant mer_01... --ask-email yes',
    '--merchant mer_01... --remove logo colour',
  ],
  examples: async ({ merchantId }) => [
    { merchantId, name: 'Mountain Tea', nameRu: 'Горный чай', colour: '1f6feb', phone: '+374 10 123456' },
    { merchantId, taxNumber: '01234567', askEmail: 'yes', remove: ['colour', 'phone'] },
  ],
})
