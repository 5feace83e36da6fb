/** The addresses to which buyers go back. The request's schema has already checked them. */

/** Two spellings of one address are equal in this form. For fingerprints; what is stored is the address as it was sent. */
export function normalizedUrl(url: string | null | undefined): string | null {
  return url === null || url === undefined ? null : new URL(url).href
}

/**
 * Adds parameters to an address, in place of those with the same names. The rest of the address stays as the merchant wrote it,
 * so it does not grow.
 */
export function withParameters(url: string, added: Record<string, string>): string {
  const [, base = '', query = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? []
  const kept = query.split('&').filter((part) => part !== '' && !Object.hasOwn(added, nameOf(part)))
  const parts = Object.entries(added).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `${base}?${[...kept, ...parts].join('&')}${fragment}`
}

function nameOf(part: string): string {
  const [name = ''] = new URLSearchParams(part).keys()
  return name
}
