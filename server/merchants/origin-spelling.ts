/** Finds the origin that a browser sends for a page, and how a typed spelling differs from it. */

/** A difference between a typed spelling and the origin that a browser sends. */
export type OriginFault = 'scheme' | 'spaces' | 'user' | 'upperCase' | 'port' | 'ascii' | 'slash' | 'path'

export type OriginSpelling = {
  /** The origin as a browser sends it; null if no web page can have this origin. */
  origin: string | null
  /** Empty if the spelling is right, or if no web page can have this origin. */
  faults: OriginFault[]
}

export function spellOrigin(given: string): OriginSpelling {
  if (given === 'null') return { origin: null, faults: [] }
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(given.trim())
  const text = hasScheme ? given : withScheme(given.trim())
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol)) return { origin: null, faults: [] }
  if (url.origin === given) return { origin: given, faults: [] }
  return { origin: url.origin, faults: [...(hasScheme ? [] : ['scheme' as const]), ...faultsOf(text, url)] }
}

/**
 * Returns the origin that a browser sends (`https://xn--...`), of an origin whose host is written in its own script. Any other text stays
 * as it is.
 */
export function asBrowsersSend(text: string): string {
  const { origin, faults } = spellOrigin(text)
  const isOwnScript =
    faults.includes('ascii') && faults.every((fault) => fault === 'ascii' || fault === 'upperCase')
  return origin !== null && isOwnScript ? origin : text
}

/** Assumes https, except for a local machine, which usually has no certificate. */
function withScheme(host: string): string {
  const isOwn = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?(\/|$)/i.test(host)
  return `${isOwn ? 'http' : 'https'}://${host}`
}

function faultsOf(text: string, url: URL): OriginFault[] {
  const host = /^[^/]*\/\/([^/?#]*)/.exec(text)?.[1] ?? ''
  const before = text.slice(0, text.indexOf('//') + 2) + host
  const found: [boolean, OriginFault][] = [
    [text !== text.trim(), 'spaces'],
    [url.username !== '' || url.password !== '', 'user'],
    [before !== before.toLowerCase(), 'upperCase'],
    [url.port === '' && /:\d+$/.test(host), 'port'],
    [/[^\0-\x7f]/.test(host), 'ascii'],
    [isBareSlash(url) && text.trimEnd().endsWith('/'), 'slash'],
    [!isBareSlash(url), 'path'],
  ]
  return found.filter(([is]) => is).map(([, fault]) => fault)
}

function isBareSlash(url: URL): boolean {
  return url.pathname === '/' && url.search === '' && url.hash === ''
}
