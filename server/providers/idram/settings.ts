/** The settings of an account at Idram: the shop's number there, and the key of the checksum. */
import { isIP } from 'node:net'
import { z } from 'zod'

/** Buyers post the form there, so plain http is allowed only to this machine. */
const ADDRESS = /^(https:\/\/[^/?#\s@]+|http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?)\/[^?#\s]*$/
const LANGUAGES = ['AM', 'RU', 'EN'] as const

export const IdramSettings = z.object({
  REC_ACCOUNT: z
    .string()
    .regex(/^\d{6,20}$/, { error: 'must be the IdramID of the shop, 6 to 20 digits' })
    .meta({ takes: 'the IdramID of the shop, 6 to 20 digits' })
    .describe('The IdramID of the shop, to which buyers pay (`EDP_REC_ACCOUNT`).'),
  SECRET_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{6,128}$/, { error: 'must be the key as Idram has given it, without spaces' })
    .meta({ takes: 'the key from Idram' })
    .describe('The key with which Idram signs each confirmation (`SECRET_KEY`).'),
  CALLERS: z
    .string()
    .refine((text) => listOf(text).every(isNetwork), {
      error: 'must be addresses or networks with a space between them, such as 192.0.2.7 198.51.100.0/24',
    })
    .optional()
    .meta({
      takes: 'addresses or networks, with a space between them',
      unset: 'Idram calls under the limits that everybody has',
    })
    .describe(
      'The addresses from which Idram calls. Nothing limits how often these may call. Ask Idram for them: a confirmation that is refused because of a limit makes Idram give the money back.',
    ),
  EMAIL: z
    .email()
    .max(254)
    .optional()
    .meta({ takes: 'an e-mail address', unset: 'Idram uses the address of the contract' })
    .describe('Where Idram writes about a payment that was not confirmed (`EDP_EMAIL`).'),
  LANGUAGE: z
    .enum(LANGUAGES)
    .default('AM')
    .describe("The language of Idram's page for a buyer whose language nobody knows."),
  ADDRESS: z
    .string()
    .regex(ADDRESS, { error: 'must be an https address. Plain http is accepted only for this machine' })
    .default('https://banking.idram.am/Payment/GetPayment')
    .meta({ takes: 'a web address' })
    .describe(
      "The page of Idram to which the buyer's browser posts the form. Change it only for a simulator.",
    ),
})
export type IdramSettings = z.infer<typeof IdramSettings>

export const listOf = (text = '') => text.split(/[\s,]+/).filter((each) => each !== '')

function isNetwork(text: string): boolean {
  const [, address = '', prefix = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(address)
  return family > 0 && Number(prefix) <= (family === 4 ? 32 : 128)
}

/** Idram has one address for test money and for real money. */
export function modeOf({ ADDRESS: address }: Pick<IdramSettings, 'ADDRESS'>): 'test' | 'untellable' {
  return address.startsWith('http:') ? 'test' : 'untellable'
}
