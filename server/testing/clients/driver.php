<?php

/** Runs the client for PHP for the tests: one call a line, as JSON, and one answer a line. */

declare(strict_types=1);

require $argv[1];

$client = null;
while (($line = fgets(STDIN)) !== false) {
    ['name' => $name, 'args' => $args, 'options' => $options] = json_decode($line, true, 64, JSON_THROW_ON_ERROR);
    if ($name === 'verifyEvent') {
        $args[0] = base64_decode($args[0]);
    }
    // A way out that leads nowhere: it throws, or answers with what was sent.
    if (isset($options['wayOut'])) {
        $kind = $options['wayOut'];
        $options['send'] = function ($method, $url, $headers, $body) use ($kind) {
            if ($kind === 'throws') {
                throw new RuntimeException('The line broke.');
            }
            return [200, [], json_encode(['sent' => $body])];
        };
    }
    if ($options) {
        $args[] = $options;
    }
    try {
        if ($name === 'openKassa') {
            $client = Kassa\openKassa(...$args);
            $returned = null;
        } else {
            $call = $client !== null && method_exists($client, $name) ? [$client, $name] : "Kassa\\$name";
            $returned = $call(...$args);
        }
        $answer = ['returned' => $returned];
    } catch (InvalidArgumentException | TypeError $error) {
        $answer = ['refused' => $error->getMessage()];
    }
    echo json_encode($answer, JSON_THROW_ON_ERROR), "\n";
}
