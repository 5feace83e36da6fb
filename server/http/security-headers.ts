/** Response headers that every answer carries: one policy for the API, one for the pages. */
import type { RequestHandler } from 'express'
import helmet from 'helmet'

const HSTS_SECONDS = 31_536_000
const NOTHING = ["'none'"]
const OWN = ["'self'"]

const common = {
  strictTransportSecurity: { maxAge: HSTS_SECONDS },
  referrerPolicy: { policy: 'no-referrer' },
  xFrameOptions: { action: 'deny' },
} as const

const closed = { defaultSrc: NOTHING, frameAncestors: NOTHING, baseUri: NOTHING }

/** For JSON: a browser that is talked into rendering it may do nothing with it. */
export const apiHeaders: RequestHandler = helmet({
  ...common,
  contentSecurityPolicy: { useDefaults: false, directives: { ...closed, formAction: NOTHING } },
})

/** For hosted pages: own styles and images, no script. A buyer's form may lead to a provider, so its target is open. */
export const pageHeaders: RequestHandler = helmet({
  ...common,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      ...closed,
      styleSrc: OWN,
      imgSrc: ["'self'", 'data:'],
      formAction: ["'self'", 'https:', 'http://localhost:*', 'http://127.0.0.1:*'],
    },
  },
})

/** For the demo shop: its own script, styles and calls. */
export const shopHeaders: RequestHandler = helmet({
  ...common,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      ...closed,
      defaultSrc: OWN,
      scriptSrc: OWN,
      styleSrc: OWN,
      connectSrc: OWN,
      imgSrc: ["'self'", 'data:'],
      formAction: OWN,
    },
  },
})
