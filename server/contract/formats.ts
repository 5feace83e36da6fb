/** Formats of text in requests: what is accepted, and what the OpenAPI document says about it. */
import { z } from 'zod'

/** At most this much of an address is accepted. */
export const URL_MAX_CHARS = 300

type Check = (
  input: string,
) => { code: 'custom'; message: string; params?: { code: 'return_url_not_allowed' } } | null

/**
 * Text of `min` to `max` characters. Characters are code points, as JSON Schema counts them. PostgreSQL cannot store a NUL, so
 * `http/request-values.ts` rejects it everywhere.
 */
export function text(
  min: number,
  max: number,
  { format, pattern = '^[^\\u0000]*$', check }: { format?: string; pattern?: string; check?: Check } = {},
) {
  const upTo = z.string().max(max)
  const bounded = min > 0 ? upTo.min(min) : upTo
  const checked =
    check &&
    bounded.check(({ value, issues }) => {
      const problem = check(value)
      if (problem) issues.push({ ...problem, input: value })
    })
  return (checked ?? bounded).meta({ ...(format && { format }), pattern })
}

/** What a payment is for, as its buyer reads it. */
export const Description = text(2, 600)

const PATH_CHAR = "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})"
const LABEL = '[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?'
const BYTE = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
const LITERAL = '\\[[0-9A-Fa-f:.]+\\]'
const PORT = '(?::(?:[0-9]{0,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?'
/** A name whose last part begins with a letter. URL parsers read any other one as a number. */
const HOST = `(?:(?:${LABEL}\\.)*[A-Za-z](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?\\.?|${BYTE}(?:\\.${BYTE}){3}|${LITERAL})${PORT}`
const AFTER_PATH = (char: string) => `(?:\\?(?:${char}|[/?])*)?(?:#(?:${char}|[/?])*)?`
/** RFC 3986, with an http(s) scheme and a host, and without a user. */
const WEB_ADDRESS_PATTERN = `^[Hh][Tt][Tt][Pp][Ss]?://${HOST}(?:/${PATH_CHAR}*)*${AFTER_PATH(PATH_CHAR)}$`
const WEB_ADDRESS = new RegExp(WEB_ADDRESS_PATTERN)

const notAddress = (message: string) =>
  ({ code: 'custom', message, params: { code: 'return_url_not_allowed' } }) as const

/** A host after a user, whose name and password would be in every address that is handed on. */
const WITH_USER = /^(?:https?:)?\/\/[^/?#]*@/i
const USER_PROBLEM = notAddress(
  'must not contain a user name or a password: remove everything between // and @',
)

export const ReturnUrl = text(1, URL_MAX_CHARS, {
  format: 'uri',
  pattern: WEB_ADDRESS_PATTERN,
  check: (value) =>
    WEB_ADDRESS.test(value) && URL.canParse(value)
      ? null
      : WITH_USER.test(value)
        ? USER_PROBLEM
        : notAddress(
            'must be an absolute http(s) address, such as https://shop.example/thanks. Percent-encode other characters behind the host',
          ),
}).meta({ description: 'Where the buyer’s browser goes afterwards. Its arrival there proves nothing.' })

/** In a page people write addresses in their own script, so every character beyond ASCII is allowed as well (RFC 3987). */
const IRI_CHAR = "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|[^\\u0000-\\u009f]|%[0-9A-Fa-f]{2})"
const IRI_CHAR_NO_COLON = IRI_CHAR.replace(':@', '@')
const IRI_HOST = `(?:(?:[A-Za-z0-9._~-]|[^\\u0000-\\u009f])+|${LITERAL})${PORT}`
const IRI_PATTERN =
  `^(?:(?:[Hh][Tt][Tt][Pp][Ss]?:)?//${IRI_HOST}(?:/${IRI_CHAR}*)*|/(?:${IRI_CHAR}+(?:/${IRI_CHAR}*)*)?|` +
  `${IRI_CHAR_NO_COLON}+(?:/${IRI_CHAR}*)*|)${AFTER_PATH(IRI_CHAR)}$`
const IRI = new RegExp(IRI_PATTERN, 'u')

/** An absolute http(s) address, or one relative to the page's origin. */
export const PageReturnUrl = text(1, URL_MAX_CHARS, {
  format: 'iri-reference',
  pattern: IRI_PATTERN,
  check: (value) =>
    IRI.test(value)
      ? null
      : WITH_USER.test(value)
        ? USER_PROBLEM
        : notAddress('must be an http(s) address, or an address relative to the page, such as /thanks'),
})

const RFC_3339 = new RegExp(
  `^(${z.regexes.date.source.replace(/^\^|\$$/g, '')})[Tt]([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(\\.[0-9]+)?([Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$`,
)

/** Reads a date-time of RFC 3339, which has lower-case letters and leap seconds too. Null for anything else. */
export function readDateTime(given: string): Date | null {
  const [, date, hour, minute, second = '', fraction = '', zone = ''] = RFC_3339.exec(given) ?? []
  if (date === undefined) return null
  const isLeap = second === '60'
  const at = new Date(`${date}T${hour}:${minute}:${isLeap ? '59' : second}${fraction}${zone.toUpperCase()}`)
  if (!isLeap) return at
  const isLastMinute = at.getUTCHours() === 23 && at.getUTCMinutes() === 59
  return isLastMinute ? new Date(at.getTime() + 1_000) : null
}

/** A date-time with any zone, as a request carries it. */
export const ZonedDateTime = z
  .string()
  .check(({ value, issues }) => {
    if (!readDateTime(value)) issues.push({ code: 'invalid_format', format: 'datetime', input: value })
  })
  .meta({ format: 'date-time' })

/** Letters beyond ASCII, without blanks and without marks that nobody sees or that turn the text around. */
const BEYOND_ASCII =
  '\\u00a1-\\u00ac\\u00ae-\\u061b\\u061d-\\u167f\\u1681-\\u1fff\\u2070-\\u2fff\\u3001-\\ufefe\\uff00-\\uffef'
const ATOM = `[A-Za-z0-9!#$%&'*+/=?^_\`{|}~${BEYOND_ASCII}-]+`
const ALNUM = `A-Za-z0-9${BEYOND_ASCII}`
const SUBDOMAIN = `[${ALNUM}](?:[${ALNUM}-]*[${ALNUM}])?`
/** Mailbox of RFC 5321, in any script (RFC 6531). */
export const MAILBOX = new RegExp(
  `^(?:${ATOM}(?:\\.${ATOM})*|"(?:[ !#-\\[\\]-~]|\\\\[ -~])*")@(?:${SUBDOMAIN}(?:\\.${SUBDOMAIN})*|` +
    '\\[(?:[0-9]{1,3}(?:\\.[0-9]{1,3}){3}|IPv6:[0-9A-Fa-f:.]+)\\])$',
)
