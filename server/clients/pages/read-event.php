<?php
require 'Kassa.php';

/** $rawBody: file_get_contents('php://input'). $headers: $_SERVER. */
function read_event(string $rawBody, array $headers): array
{
    $verified = Kassa\verifyEvent($rawBody, $headers, ['secrets' => getenv('KASSA_WEBHOOK_SECRET')]);
    if (!$verified->ok) {
        throw new RuntimeException($verified->error->message); // Answer 401.
    }
    return $verified->event;
}
