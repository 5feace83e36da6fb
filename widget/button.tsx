import type { ReadonlySignal } from '@preact/signals'
import { Fragment, h } from 'preact'
import { type Checkout, isBusy } from './checkout.ts'
import type { WidgetConfig } from './config.ts'
import { MESSAGES, splitLabel } from './messages.ts'

type Props = { config: ReadonlySignal<WidgetConfig | undefined>; checkout: Checkout }

/**
 * The button and its message. The component reads two signals, so @preact/signals redraws it when one of them changes.
 * The slot shows the page's own fallback link: where no button can be drawn, and after a failure.
 */
export function PayButton({ config, checkout }: Props) {
  const { value } = config
  if (!value) return <slot />
  const phase = checkout.phase.value
  const busy = isBusy(phase) || undefined
  const messages = MESSAGES[value.locale]
  const [before, after] =
    phase === 'idle'
      ? splitLabel(value.label ?? messages.pay, value.price)
      : [busy ? messages.opening : messages.retry]

  // The name begins with the visible text, so that people who speak to their browser can say what they read.
  const name = phase === 'idle' && value.productName
  const spoken = name ? `${before}${after === undefined ? '' : value.price + after}, ${name}` : undefined

  const onClick = (event: Event): void => {
    // A page builder may have put the button inside a link. Without this the browser would follow the link.
    event.preventDefault()
    void checkout.start()
  }

  // aria-disabled and not disabled: a disabled button would lose the focus. At rest the button has neither attribute.
  return (
    <>
      <div lang={value.locale} dir={value.locale === 'ar' ? 'rtl' : 'ltr'} data-phase={phase}>
        <button
          type="button"
          part="button"
          aria-label={spoken}
          aria-disabled={busy}
          aria-busy={busy}
          onClick={onClick}
        >
          <span>
            {before}
            {after !== undefined && <bdi>{value.price}</bdi>}
            {after}
          </span>
        </button>
        <p role="status" part="message">
          {phase === 'error' ? messages.failed : busy && before}
        </p>
      </div>
      {phase === 'error' && <slot />}
    </>
  )
}
