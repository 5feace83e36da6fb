<?php

/** What is known of the callback secret: whether an event has come that it fits, or only others. `callback verify` sends both. */

declare(strict_types=1);

namespace Kassa\WordPress;

const PROOF = 'kassa_event_proof';
/** What `verifyEvent` says of an event that has a signature. One without could be anybody's. */
const TELLING = ['wrong_signature', 'stale'];

/** `isProved`: an event has fitted. `refused`: why the first one after that did not fit, or an empty text. */
function eventProof(): array
{
    $none = ['secret' => '', 'isProved' => false, 'refused' => ''];
    $stored = get_option(PROOF, []);
    $known = is_array($stored) ? $stored + $none : $none;
    // What was known of another secret says nothing about this one.
    return $known['secret'] === secretMark() ? $known : $none;
}

function secretMark(): string
{
    return hash('sha256', setting('secret'));
}

/** `$refused`: the code of the error, or an empty text for an event that fits. Written only if it is news, because anybody can send events. */
function noteEvent(string $refused): void
{
    $known = eventProof();
    if ($refused === '') {
        $news = ['isProved' => true, 'refused' => ''];
    } elseif ($known['refused'] === '' && in_array($refused, TELLING, true)) {
        $news = ['refused' => $refused];
    } else {
        return;
    }
    $next = $news + $known;
    if ($next !== $known) {
        update_option(PROOF, ['secret' => secretMark()] + $next, false);
    }
}
