import type { ReadonlySignal } from '@preact/signals'
import { Fragment, h } from 'preact'
import { type Checkout, isBusy, type Phase } from './checkout.ts'
import type { WidgetConfig } from './config.ts'
import { textsOf } from './language.ts'
import { ENGLISH, type Messages, splitLabel } from './messages.ts'
import { currentPrice } from './price.ts'

type Props = { config: ReadonlySignal<WidgetConfig | undefined>; checkout: Checkout }

/**
 * The button and its message. The component reads signals, so @preact/signals redraws it when one of them changes.
 * The slot shows the page's own fallback link: where no button can be drawn, and after a failure.
 */
export function PayButton({ config, checkout }: Props) {
  const { value } = config
  if (!value) return <slot />
  const news = currentPrice(checkout.newPrice.value, value)
  const price = news?.text ?? value.price
  // The page itself may have corrected its price since then.
  const phase = checkout.phase.value === 'changed' && !news ? 'idle' : checkout.phase.value
  const busy = isBusy(phase) || undefined
  const failed = phase === 'error'
  const texts = textsOf(value)
  const messages = texts ?? ENGLISH
  const locale = messages === ENGLISH ? 'en' : value.locale
  const href = phase === 'blocked' ? checkout.link() : undefined
  const parts = busy
    ? [messages.opening]
    : failed && checkout.canRetry()
      ? [messages.retry]
      : splitLabel(value.label ?? messages.pay, price)

  // The name begins with the visible text, so that people who speak to their browser can say what they read.
  const spoken = !busy && value.productName ? `${parts.join(price)}, ${value.productName}` : undefined
  const message = messageOf(phase, messages, { parts, price })

  const onClick = (event: Event): void => {
    // A page builder may have put the button inside a link. Without this the browser would follow the link.
    event.preventDefault()
    void checkout.start()
  }

  // aria-disabled and not disabled: a disabled button would lose the focus. At rest the button has neither attribute.
  return (
    <>
      <div
        lang={locale}
        dir={locale === 'ar' ? 'rtl' : 'ltr'}
        data-phase={phase}
        data-waiting={!texts || undefined}
      >
        {href ? (
          newTabLink(href, messages.newTab)
        ) : (
          <button
            type="button"
            part="button"
            aria-label={spoken}
            aria-disabled={busy}
            aria-busy={busy}
            onClick={onClick}
          >
            <span>{withPrice(parts, price)}</span>
          </button>
        )}
        <p role="status" part="message">
          {withPrice(message, price)}
        </p>
      </div>
      {failed && <slot />}
    </>
  )
}

/** Where the page may not leave, a new tab may still open. */
const newTabLink = (href: string, text: string) => (
  <a part="button" href={href} target="_blank" rel="noopener">
    <span>{text}</span>
  </a>
)

/** What the message says. While the button is busy it says the same as the button. */
function messageOf(
  phase: Phase,
  messages: Messages,
  { parts, price }: { parts: string[]; price: string | undefined },
): string[] {
  if (isBusy(phase)) return parts
  if (phase === 'error') return [messages.failed]
  return phase === 'changed' ? splitLabel(messages.changed, price) : []
}

/** Puts the price between the two parts of a text. A text of one part has no place for it. */
const withPrice = ([before, after]: string[], price: string | undefined) => [
  before,
  after !== undefined && h('bdi', null, price),
  after,
]
