/**
 * Every address in a page passes through here. Escaping keeps an address inside its attribute, but does not stop `javascript:`
 * from running when it is clicked. So everything except http and https is removed.
 */
export function webAddress(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined
  const parsed = new URL(address)
  return parsed.protocol === 'https:' || parsed.protocol === 'http:' ? parsed.href : undefined
}

/**
 * The same as `webAddress`, but also accepts a path on our own host. `//host` and `/\host` are other hosts, so they are
 * removed.
 */
export function ownOrWebAddress(address: string): string | undefined {
  return /^\/(?![/\\])[!-~]*$/.test(address) ? address : webAddress(address)
}

/** Returns a telephone number to call. Everything except digits and a leading plus is removed. */
export function phoneAddress(phone: string): string {
  return `tel:${phone.trim().startsWith('+') ? '+' : ''}${phone.replaceAll(/\D/g, '')}`
}

export function mailAddress(email: string): string {
  return `mailto:${email.split('@').map(encodeURIComponent).join('@')}`
}
