/** What a browser would send for the page that somebody names, and in what the given spelling differs from that. */
import { bad, type Finding, type FindingKey } from '../channels/doctor/words.ts'

export type OriginSpelling = {
  /** As a browser sends it; null when no web page can have such an origin. */
  origin: string | null
  findings: Finding[]
}

export function spellOrigin(given: string): OriginSpelling {
  if (given === 'null') return { origin: null, findings: [bad('spelledNull')] }
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(given.trim())
  const text = hasScheme ? given : withScheme(given.trim())
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol))
    return { origin: null, findings: [bad('spelledNotWeb', { given })] }
  if (url.origin === given) return { origin: given, findings: [] }
  const reasons: FindingKey[] = [...(hasScheme ? [] : ['becauseScheme' as const]), ...deviations(text, url)]
  const sent = bad('spelledOtherwise', { given, sent: url.origin })
  return { origin: url.origin, findings: [sent, ...reasons.map((key) => bad(key))] }
}

/** A page on somebody's own machine has no certificate as a rule. */
function withScheme(host: string): string {
  const isOwn = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?(\/|$)/i.test(host)
  return `${isOwn ? 'http' : 'https'}://${host}`
}

function deviations(text: string, url: URL): FindingKey[] {
  const host = /^[^/]*\/\/([^/?#]*)/.exec(text)?.[1] ?? ''
  const before = text.slice(0, text.indexOf('//') + 2) + host
  const found: [boolean, FindingKey][] = [
    [text !== text.trim(), 'becauseSpaces'],
    [url.username !== '' || url.password !== '', 'becauseUser'],
    [before !== before.toLowerCase(), 'becauseUpperCase'],
    [url.port === '' && /:\d+$/.test(host), 'becausePort'],
    [/[^\0-\x7f]/.test(host), 'becauseAscii'],
    [isBareSlash(url) && text.trimEnd().endsWith('/'), 'becauseSlash'],
    [!isBareSlash(url), 'becausePath'],
  ]
  return found.filter(([is]) => is).map(([, reason]) => reason)
}

function isBareSlash(url: URL): boolean {
  return url.pathname === '/' && url.search === '' && url.hash === ''
}
