const EVIL = 'evil.invalid'

/** Addresses that some URL parser could mistake for an address of the shop. */
export function RETURN_URLS(shop: string): string[] {
  return [
    ...RELATIVE,
    ...otherHosts(shop),
    ...otherSchemes(shop),
    ...INCOMPLETE,
    `${shop}/${'x'.repeat(301)}`,
  ]
}

/** A browser could read these as paths, or as another host. */
const RELATIVE = [
  `//${EVIL}`,
  `///${EVIL}`,
  `/\\${EVIL}`,
  `\\\\${EVIL}`,
  `\\/${EVIL}`,
  `/\t/${EVIL}`,
  `/\n/${EVIL}`,
  '%2f%2fevil.invalid',
  `/%09/${EVIL}`,
  `/..//${EVIL}`,
  `.//${EVIL}`,
  `?next=//${EVIL}`,
  `#//${EVIL}`,
]

const INCOMPLETE = ['', ' ', 'http://', 'http:///', '://', `null`]

/** Another host, port or user, some of them written so that the shop's host is in the text. */
function otherHosts(shop: string): string[] {
  const { host, hostname, port } = new URL(shop)
  return [
    `http:${EVIL}`,
    `http:/${EVIL}`,
    `http:\\\\${EVIL}`,
    `https:${EVIL}`,
    `https:/${EVIL}`,
    `HTTP://${EVIL}`,
    `${shop}@${EVIL}`,
    `${shop}:x@${EVIL}`,
    `http://user@${host}/`,
    `http://user:x@${host}/`,
    `http://${EVIL}\\@${host}/`,
    `http://${EVIL}#@${host}/`,
    `http://${EVIL}?@${host}/`,
    `${shop}.${EVIL}`,
    `http://${hostname}.${EVIL}:${port}/`,
    `http://${EVIL}/${shop}`,
    `http://x.${host}/`,
    `http://${EVIL}/#${shop}`,
    `http://${EVIL}%2f${host}/`,
    `http://${EVIL}%00.${host}/`,
    `http://evil\u3002invalid/`,
    `http://ｅｖｉｌ.invalid/`,
    `http://127.0.0.1\u3002${EVIL}/`,
    `http://127.0.0.1:${Number(port) + 1}/`,
    'http://127.0.0.1/',
    `http://localhost:${port}/`,
    `http://2130706433:${Number(port) + 1}/`,
    `http://[::1]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
  ]
}

function otherSchemes(shop: string): string[] {
  const { host } = new URL(shop)
  return [
    `java\tscript:alert(1)`,
    `java\nscript:alert(1)`,
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    `ftp://${host}/`,
    `blob:${shop}/x`,
    `filesystem:${shop}/x`,
    `view-source:${shop}/`,
    'about:blank',
    'mailto:a@b.invalid',
    `https://${host}/`,
  ]
}
