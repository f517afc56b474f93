-- SPDX-License-Identifier: BSD-3-Clause
-- Rows go with the piece that they are in; schema.sql comes before.

CREATE FUNCTION call_piece_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM call_data WHERE id BETWEEN OLD.first AND OLD.last;
    RETURN NULL;
END $$;
CREATE TRIGGER call_piece_deleted AFTER DELETE ON call_piece
FOR EACH ROW EXECUTE FUNCTION call_piece_deleted();

CREATE FUNCTION invocation_piece_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM invocation WHERE id BETWEEN OLD.first AND OLD.last;
    RETURN NULL;
END $$;
CREATE TRIGGER invocation_piece_deleted AFTER DELETE ON invocation_piece
FOR EACH ROW EXECUTE FUNCTION invocation_piece_deleted();
