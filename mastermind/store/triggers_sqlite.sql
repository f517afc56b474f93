-- SPDX-License-Identifier: BSD-3-Clause
-- Rows go with the piece that they are in; schema.sql comes before.

CREATE TRIGGER call_piece_deleted AFTER DELETE ON call_piece BEGIN
    DELETE FROM call_data WHERE id BETWEEN OLD.first AND OLD.last;
END;

CREATE TRIGGER invocation_piece_deleted AFTER DELETE ON invocation_piece BEGIN
    DELETE FROM invocation WHERE id BETWEEN OLD.first AND OLD.last;
END;
