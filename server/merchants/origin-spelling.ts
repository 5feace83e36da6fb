/** What a browser would send for the page that somebody names, and in what the given spelling differs from that. */

export type OriginSpelling = {
  /** As a browser sends it; null when no web page can have such an origin. */
  origin: string | null
  findings: string[]
  /** What to do where `origin` is null. */
  advice?: string
}

export function spellOrigin(given: string): OriginSpelling {
  if (given === 'null')
    return {
      origin: null,
      findings: [
        'A page sends the origin "null" when it was opened from a file, or sits in a sandboxed frame. It can never be registered.',
      ],
      advice: 'Serve the page from a web server, outside of sandboxed frames.',
    }
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(given.trim())
  const text = hasScheme ? given : `https://${given.trim()}`
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol))
    return {
      origin: null,
      findings: [`"${given}" is not the origin of a web page.`],
      advice: 'Write scheme and host, such as https://shop.example',
    }
  if (url.origin === given) return { origin: given, findings: [] }
  const reasons = [...(hasScheme ? [] : ['it lacks the scheme']), ...deviations(text, url)]
  const why = reasons.length > 0 ? `: ${reasons.join(', ')}` : ''
  return {
    origin: url.origin,
    findings: [`A browser never sends "${given}" as an origin${why}. It sends "${url.origin}".`],
  }
}

function deviations(text: string, url: URL): string[] {
  const host = /^[^/]*\/\/([^/?#]*)/.exec(text)?.[1] ?? ''
  const before = text.slice(0, text.indexOf('//') + 2) + host
  const found: [boolean, string][] = [
    [text !== text.trim(), 'it has spaces around it'],
    [url.username !== '' || url.password !== '', 'it holds a user name'],
    [before !== before.toLowerCase(), 'it has upper-case letters'],
    [url.port === '' && /:\d+$/.test(host), 'it names the default port'],
    [/[^\0-\x7f]/.test(host), 'its host is not in ASCII'],
    [isBareSlash(url) && text.trimEnd().endsWith('/'), 'it ends with a slash'],
    [!isBareSlash(url), 'it goes on after the host'],
  ]
  return found.filter(([is]) => is).map(([, reason]) => reason)
}

function isBareSlash(url: URL): boolean {
  return url.pathname === '/' && url.search === '' && url.hash === ''
}
